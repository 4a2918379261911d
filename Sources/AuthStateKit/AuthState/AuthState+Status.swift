public import AuthStateFoundation
public import AuthStateOAuth
import AuthStateSystem

extension AuthState {
    /// A state as it can be shown: without any token.
    public struct Status: Sendable, Hashable {
        /// Whether there is no error, and an access, ID or refresh token.
        public var isAuthorized: Bool
        /// The error that the state is in; nil when there is none.
        public var authorizationError: AuthStateError? {
            get { errorBox?.value }
            set { errorBox = newValue.map(Box.init) }
        }
        /// The granted scope.
        public var scope: String?
        /// The time at which the access token expires; nil while in error or when unknown.
        public var accessTokenExpirationDate: Date?
        /// The time at which the login ends unless it is renewed before; nil when the provider did not say.
        public var loginExpirationDate: Date?
        /// Whether the tokens can be renewed.
        public var canRenew: Bool
        /// Whether a renewal was asked for.
        public var needsTokenRefresh: Bool
        /// The error of the last save; nil when the stored state is the one shown here.
        public var storeError: AuthStateError? {
            get { storeErrorBox?.value }
            set { storeErrorBox = newValue.map(Box.init) }
        }
        /// A count of grants.
        public var grantEpoch: Int
        /// A count of changes; a gap between two elements of a stream shows that some were missed.
        public var revision: Int

        private var errorBox: Box<AuthStateError>?
        private var storeErrorBox: Box<AuthStateError>?

        init(_ record: Record, storeError: Box<AuthStateError>?) {
            storeErrorBox = storeError
            isAuthorized = record.isAuthorized
            errorBox = record.errorBox
            scope = record.scope
            accessTokenExpirationDate = record.accessTokenExpirationDate
            loginExpirationDate = record.loginExpirationDate
            canRenew = record.errorBox == nil && (record.refreshToken != nil || record.machineGrant != nil)
            needsTokenRefresh = record.needsTokenRefresh
            grantEpoch = record.grantEpoch
            revision = record.revision
        }
    }

    /// The parts of a state that are read without waiting.
    struct Visible: Sendable {
        var state: Published
        var freshness: StoreFreshness
        /// Created for the first listener: few states ever have one.
        var broadcast: ChangeBroadcast<Status>?
        /// The renewal in progress that callers may join without a turn in the actor.
        var flight: Flight?
    }

    /// The state that readers may read at any time: one immutable value, replaced as a whole.
    struct Published: Sendable {
        let tokens: Tokens.Storage?
        /// In seconds since 1970.
        let freshUntil: Double
        private let recordBox: Box<Record>
        private let storeErrorBox: Box<AuthStateError>?
        var record: Record { recordBox.value }
        /// Made on each access, because it is larger than the parts it is made from.
        var status: Status { Status(record, storeError: storeErrorBox) }

        init(
            _ box: Box<Record>, storeError: Box<AuthStateError>? = nil, options: Options,
            service: AuthorizationService
        ) {
            let record = box.value
            recordBox = box
            storeErrorBox = storeError
            freshUntil = record.freshUntil(leeway: options.leeway.inSeconds)
            let response = record.authorizationError == nil ? record.lastTokenResponse : nil
            tokens = response.map { Tokens.Storage($0, of: record, options: options, service: service) }
        }
    }
}

extension AuthState.Status: CustomStringConvertible {
    /// One line for a log, without any secret.
    public var description: String {
        var parts = [
            authorizationError.map { "in error (\($0.code))" } ?? (isAuthorized ? "authorized" : "not authorized")
        ]
        if let scope { parts.append("scope \(scope.printable())") }
        if let date = accessTokenExpirationDate { parts.append("until \(date)") }
        if isAuthorized, !canRenew { parts.append("cannot be renewed") }
        if needsTokenRefresh { parts.append("to be renewed") }
        if let storeError { parts.append("not saved (\(storeError.code))") }
        return parts.joined(separator: ", ") + ", revision \(revision)"
    }
}

extension BearerPolicy {
    init(_ provider: ProviderConfiguration, options: AuthState.Options, service: AuthorizationService) {
        self.init(
            allowsLoopbackHTTP: options.allowsLoopbackHTTP
                || provider.issuer?.isLoopback ?? URIReference(provider.tokenEndpoint.absoluteString).isLoopback,
            allowsInsecureHTTP: service.configuration.allowsInsecureHTTP, allowedOrigins: options.allowedOrigins)
    }
}
