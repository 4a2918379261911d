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
        public var authorizationError: AuthStateError? {
            get { errorBox?.value }
            set { errorBox = newValue.map(Box.init) }
        }
        /// What was granted.
        public var scope: String?
        /// When the access token ends; nil while in error or when unknown.
        public var accessTokenExpirationDate: Date?
        /// Whether the tokens can be renewed.
        public var canRenew: Bool
        /// Whether a renewal was asked for.
        public var needsTokenRefresh: Bool
        /// Why the state could not be saved; nil when what is stored is what is shown here.
        public var storeError: AuthStateError? {
            get { storeErrorBox?.value }
            set { storeErrorBox = newValue.map(Box.init) }
        }
        /// Counts grants.
        public var grantEpoch: Int
        /// Counts changes; a gap between two elements of a stream shows that some were missed.
        public var revision: Int

        private var errorBox: Box<AuthStateError>?
        private var storeErrorBox: Box<AuthStateError>?

        init(_ record: Record, storeError: Box<AuthStateError>?) {
            storeErrorBox = storeError
            isAuthorized = record.isAuthorized
            errorBox = record.errorBox
            scope = record.scope
            accessTokenExpirationDate = record.accessTokenExpirationDate
            canRenew =
                record.errorBox == nil && (record.refreshToken != nil || record.machineGrant != nil)
            needsTokenRefresh = record.needsTokenRefresh
            grantEpoch = record.grantEpoch
            revision = record.revision
        }
    }

    /// What is read without waiting; whoever reads tokens need not look into the object.
    struct Visible: Sendable {
        var state: Published {
            didSet { (tokens, freshUntil) = (state.tokens, state.freshUntil) }
        }
        private(set) var tokens: Tokens.Storage?
        /// In seconds since 1970.
        private(set) var freshUntil: Double
        var sight: StoreSight

        init(state: Published, sight: StoreSight) {
            self.state = state
            self.sight = sight
            (tokens, freshUntil) = (state.tokens, state.freshUntil)
        }
    }

    /// What everybody may read at any time: one immutable object, replaced as a whole.
    final class Published: Sendable {
        private let recordBox: Box<Record>
        var record: Record { recordBox.value }
        private let storeErrorBox: Box<AuthStateError>?
        /// Made when it is asked for: it is larger than what it is made of.
        var current: Current { Current(record, storeError: storeErrorBox) }
        let tokens: Tokens.Storage?
        let policy: BearerPolicy
        /// In seconds since 1970.
        let freshUntil: Double

        init(
            _ box: Box<Record>, storeError: Box<AuthStateError>? = nil, options: Options,
            service: AuthorizationService
        ) {
            let record = box.value
            recordBox = box
            storeErrorBox = storeError
            freshUntil = record.freshUntil(leeway: options.leeway)
            policy = BearerPolicy(
                allowsLoopbackHTTP: record.configuration.issuer?.isLoopback
                    ?? URIReference(record.configuration.tokenEndpoint.absoluteString).isLoopback,
                allowsInsecureHTTP: service.configuration.allowsInsecureHTTP, allowedOrigins: options.allowedOrigins)
            let response = record.authorizationError == nil ? record.lastTokenResponse : nil
            tokens = response.map { [policy] in
                Tokens.Storage(
                    $0, of: record, leeway: options.leeway, policy: policy,
                    dpop: record.dpopKey.map { DPoPBinding($0, service) })
            }
        }
    }
}
