import AuthStateKit

/// The facts of a login that advice about a failure depends on.
public struct LoginFacts: Sendable, Equatable {
    /// The API that the login is for, which a new login names; nil for a login at a provider.
    var resource: String?
    /// The provider of a stored login.
    var issuer: String?
    /// Whether the client registered itself before this command.
    var isRegistered = false
    /// Whether the client proves itself; nil where that is not known.
    var hasProof: Bool?

    /// No facts.
    public init() {}

    init(resource: String?, isRegistered: Bool = false, hasProof: Bool? = nil) {
        (self.resource, self.isRegistered, self.hasProof) = (resource, isRegistered, hasProof)
    }

    /// The facts of a stored login.
    init(_ record: AuthState.Record) {
        self.init(
            resource: record.resource, isRegistered: record.lastRegistrationResponse != nil,
            hasProof: record.client.credential != .none || record.machineGrant != nil)
        issuer = record.client.provider.issuer?.rawValue
    }
}
