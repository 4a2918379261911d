import AuthStateJOSE
public import AuthStateOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension AuthState {
    /// Everything that a state remembers, as a value; this is what is archived.
    public struct Record: Sendable, Hashable {
        /// The provider.
        public var configuration: ServiceConfiguration {
            get { configurationBox.value }
            set { configurationBox = Box(newValue) }
        }
        /// The client's identifier.
        public var clientID: String
        /// How the client proves who it is; static secrets are only referred to.
        public var credential: ClientCredential {
            get { credentialBox.value }
            set { credentialBox = Box(newValue) }
        }
        /// The last answer of the authorization endpoint; its request's key is `dpopKey`, with which its code is exchanged.
        public var lastAuthorizationResponse: AuthorizationResponse? {
            get {
                var response = authorizationBox?.value.response
                response?.request.dpopKey = dpopKey
                return response
            }
            set { authorizationBox = newValue.map { Box(SpentAuthorization($0)) } }
        }
        /// The last answer of the token endpoint.
        public var lastTokenResponse: TokenResponse?
        /// The last answer of the registration endpoint.
        public var lastRegistrationResponse: RegistrationResponse? {
            get { registrationBox?.value }
            set {
                (registrationBox, stamps.registration) = (
                    newValue.map(Box.init), newValue == nil ? .never : nextStamp()
                )
            }
        }
        /// The newest refresh token.
        public var refreshToken: String?
        /// The key that the tokens are bound to (RFC 9449); nil for bearer tokens.
        public var dpopKey: DPoPKey?
        /// What was granted, or asked for when the provider did not say.
        public var scope: String?
        /// The resources that a login without an authorization request asked for; `lastAuthorizationResponse` has those of
        /// every other one, and `machineGrant` a client's own.
        public var resources: [String] = []
        /// What was granted in detail (RFC 9396, section 7), as the provider said it last; nil when it never did.
        public var authorizationDetails: [AuthorizationDetail]?
        /// The last ID token that was seen; a renewal without one does not remove it.
        public var idToken: String?
        /// Why that ID token was believed; nil when it came from outside.
        public var idTokenTrust: IDTokenTrust?
        /// Why the state is in error.
        public var authorizationError: AuthStateError? {
            get { errorBox?.value }
            set { (errorBox, stamps.error) = (newValue.map(Box.init), newValue == nil ? .never : nextStamp()) }
        }
        /// Whether a renewal was asked for.
        public var needsTokenRefresh: Bool {
            get { stamps.wish != .never }
            set { stamps.wish = newValue ? nextStamp() : .never }
        }
        /// How to renew a state that no person logged in to; nil for a state of a person.
        public var machineGrant: MachineGrant? {
            get { machineGrantBox?.value }
            set { machineGrantBox = newValue.map(Box.init) }
        }
        /// Counts grants: a login, a logout or an update makes what was under way before it void.
        public var grantEpoch = 0
        /// Tells this grant from every other, also from those of other processes, which count epochs of their own.
        public var grantID = ""
        /// Counts changes.
        public var revision = 0
        /// When a renewal was sent whose answer never came: the refresh token may have been spent.
        public var unconfirmedRenewal: Date? {
            get { stamps.unconfirmed.date }
            set { stamps.unconfirmed = newValue.map { Stamp(at: $0, after: stamps.newestTokens) } ?? .never }
        }
        /// Why, and until when, no renewal is tried again.
        public var renewalPause: RenewalPause? {
            get { pauseBox?.value }
            set { (pauseBox, stamps.pause) = (newValue.map(Box.init), newValue == nil ? .never : nextStamp()) }
        }
        /// What the program wants to find again with the state, for example how it was set up; never for secrets.
        public var annotations: [String: String] = [:]
        /// Members of an archive that this version does not know.
        package var unknownMembers: [String: JSONValue] = [:]
        /// When each part was decided.
        package var stamps = Stamps()

        // Large, and mostly absent or the same for many: out of line they take 48 bytes instead of 1,300 in each state.
        var configurationBox: Box<ServiceConfiguration>
        var credentialBox: Box<ClientCredential>
        var authorizationBox: Box<SpentAuthorization>?
        var registrationBox: Box<RegistrationResponse>?
        var errorBox: Box<AuthStateError>?
        var pauseBox: Box<RenewalPause>?
        var machineGrantBox: Box<MachineGrant>?

        /// An empty state of a client.
        public init(configuration: ServiceConfiguration, clientID: String, credential: ClientCredential = .none) {
            configurationBox = Box(configuration)
            self.clientID = clientID
            credentialBox = Box(credential)
        }
    }

    /// A time in which the provider is not asked again, and the error that it follows from.
    public struct RenewalPause: Sendable, Hashable, Codable {
        /// The beginning of it; nil in archives that did not say.
        public var from: Date?
        /// The end of it.
        public var until: Date
        /// What the last renewal failed with.
        public var error: AuthStateError

        /// Makes a pause.
        public init(from: Date? = nil, until: Date, error: AuthStateError) {
            self.from = from
            self.until = until
            self.error = error
        }

        /// Whether a moment is in it; one before its beginning shows that a clock was set, and is not.
        func contains(_ date: Date) -> Bool {
            // Without a beginning, none was longer than a minute.
            (from ?? until.addingTimeInterval(-60)) <= date && date < until
        }
    }
}

extension AuthState.Record {
    /// Whether there is something to show for: no error, and an access, ID or refresh token.
    public var isAuthorized: Bool {
        authorizationError == nil && (lastTokenResponse != nil || idToken != nil || refreshToken != nil)
    }

    /// The access token; nil while in error.
    public var accessToken: String? { authorizationError == nil ? lastTokenResponse?.accessToken : nil }

    /// When the access token ends; nil while in error, or when the provider did not say.
    public var accessTokenExpirationDate: Date? {
        authorizationError == nil ? lastTokenResponse?.accessTokenExpirationDate : nil
    }

    /// The time before which the access token is fresh, in seconds since 1970.
    ///
    /// Fresh means: expiry − now > min(leeway, lifetime ÷ 4). Without an expiry a token is fresh for ever; without an
    /// access token, in error, or when a refresh was asked for, never.
    func freshUntil(leeway: Double) -> Double {
        guard authorizationError == nil, !needsTokenRefresh, let response = lastTokenResponse else { return -.infinity }
        return response.freshUntil(leeway: leeway)
    }

    /// How the tokens can be renewed, if they can.
    func renewalRequest(_ parameters: RenewalParameters) -> TokenRequest? {
        if let machineGrant {
            var request = machineGrant.request(configuration: configuration, clientID: clientID, parameters)
            request.dpopKey = dpopKey
            return request
        }
        guard let refreshToken else { return nil }
        var request = TokenRequest(
            refreshToken: refreshToken, configuration: configuration, clientID: clientID, scopes: parameters.scopes,
            additionalParameters: parameters.additionalParameters)
        request.resources =
            parameters.resources.isEmpty
            ? ResourceIndicators.single(lastAuthorizationResponse?.request.resources ?? resources)
            : parameters.resources
        request.authorizationDetails = parameters.authorizationDetails
        request.dpopKey = dpopKey
        return request
    }
}

extension TokenResponse {
    /// The response without what has no place in an answer to the request.
    ///
    /// A client that asks in its own name gets no refresh token (RFC 6749, section 4.4.3), as its credential or its key
    /// renews, and no ID token, as nobody logged in.
    func answering(_ request: TokenRequest) -> TokenResponse {
        var response = self
        // RFC 6749, section 5.1: an answer that does not say the scope has the one that was asked for.
        response.scope = scope ?? request.scopes.requested
        guard [.clientCredentials, .jwtBearer].contains(request.grantType) else { return response }
        (response.refreshToken, response.idToken) = (nil, nil)
        return response
    }

    func freshUntil(leeway: Double) -> Double {
        guard let expiry = accessTokenExpirationDate?.timeIntervalSince1970 else { return .infinity }
        let lifetime = expiry - issuedAt.timeIntervalSince1970
        return expiry - min(leeway, max(0, lifetime / 4))
    }
}

extension AuthState.Record: CustomStringConvertible, CustomReflectable {
    /// Client and condition, never a token.
    public var description: String {
        "state of \(clientID), \(isAuthorized ? "authorized" : "not authorized"), revision \(revision)"
    }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["state": description]) }
}
