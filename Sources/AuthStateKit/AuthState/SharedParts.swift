import AuthStateOAuth
import AuthStateSystem

/// The parts that many states have in common, each kept once: a provider's configuration alone takes kilobytes.
package struct SharedParts: Sendable {
    private var clients = Known<Box<Client>>()
    private var providers = Known<ProviderConfiguration>()
    private var answers = Known<Box<AuthorizationResponse>>()
    private var texts = Known<String>()

    package init() {}

    /// Returns the same record, made of parts that other records already have.
    package mutating func share(_ record: AuthState.Record) -> AuthState.Record {
        var record = record
        // The metadata of a provider are one piece of memory, also for clients that differ.
        record.client.provider = providers.shared(record.client.provider)
        record.clientBox = clients.shared(record.clientBox)
        record.scope = record.scope.map { texts.shared($0) }
        if var response = record.lastTokenResponse {
            // An archive has these twice.
            if response.refreshToken == record.refreshToken { response.refreshToken = record.refreshToken }
            if response.idToken == record.idToken { response.idToken = record.idToken }
            response.scope = response.scope.map { texts.shared($0) }
            record.lastTokenResponse = response
        }
        if let common = record.spentAuthorization?.common {
            record.spentAuthorization?.common = answers.shared(common)
        }
        return record
    }

    /// A limited number of values that were seen before.
    private struct Known<Value: Hashable & Sendable>: Sendable {
        private static var limit: Int { 256 }
        private var values: Set<Value> = []

        /// Returns an equal value that was seen before, or else the given one.
        mutating func shared(_ value: Value) -> Value {
            if values.count >= Self.limit { values = [] }
            return values.insert(value).memberAfterInsert
        }
    }
}
