public import AuthStateOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension AuthState {
    /// A state as it can be shown: what is known, without any token.
    public struct Current: Sendable, Hashable {
        /// Whether there is no error, and an access, ID or refresh token.
        public var isAuthorized: Bool
        /// Why the state is in error.
        public var authorizationError: AuthStateError?
        /// What was granted.
        public var scope: String?
        /// When the access token ends; nil while in error or when unknown.
        public var accessTokenExpirationDate: Date?
        /// Whether the tokens can be renewed.
        public var canRenew: Bool
        /// Whether a renewal was asked for.
        public var needsTokenRefresh: Bool
        /// Why the state could not be saved; nil when what is stored is what is shown here.
        public var storeError: AuthStateError?
        /// Counts grants.
        public var grantEpoch: Int
        /// Counts changes; a gap between two elements of a stream shows that some were missed.
        public var revision: Int

        init(_ record: Record, storeError: AuthStateError?) {
            self.storeError = storeError
            isAuthorized = record.isAuthorized
            authorizationError = record.authorizationError
            scope = record.scope
            accessTokenExpirationDate = record.accessTokenExpirationDate
            canRenew =
                record.authorizationError == nil && (record.refreshToken != nil || record.clientCredentials != nil)
            needsTokenRefresh = record.needsTokenRefresh
            grantEpoch = record.grantEpoch
            revision = record.revision
        }
    }

    /// What is read without waiting.
    struct Visible: Sendable {
        var state: Published
        var sight: StoreSight
    }

    /// What everybody may read at any time: one immutable object, replaced as a whole.
    final class Published: Sendable {
        let record: Record
        let current: Current
        let tokens: Tokens.Storage?
        let policy: BearerPolicy
        /// In seconds since 1970.
        let freshUntil: Double

        init(_ record: Record, storeError: AuthStateError? = nil, options: Options, allowsInsecureHTTP: Bool) {
            self.record = record
            current = Current(record, storeError: storeError)
            freshUntil = record.freshUntil(leeway: options.leeway)
            policy = BearerPolicy(
                allowsLoopbackHTTP: record.configuration.issuer?.isLoopback
                    ?? URIReference(record.configuration.tokenEndpoint.absoluteString).isLoopback,
                allowsInsecureHTTP: allowsInsecureHTTP, allowedOrigins: options.allowedOrigins)
            let response = record.authorizationError == nil ? record.lastTokenResponse : nil
            tokens = response.map { [policy] in
                Tokens.Storage(
                    $0, of: record, leeway: options.leeway, policy: policy)
            }
        }
    }
}
