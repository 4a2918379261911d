import AuthStateFoundation
import AuthStateJOSE
package import AuthStateOAuth

extension AuthState {
    package enum Event: Sendable {
        /// A client was registered.
        case registered(RegistrationResponse)
        /// The registration was read or changed, perhaps with another private key; the grant stays.
        case registrationChanged(RegistrationResponse, credential: ClientCredential? = nil)
        /// The registration of this client was deleted, and with it the client's grant.
        case registrationDeleted(clientID: String)
        /// The authorization endpoint answered with a code.
        case authorized(AuthorizationResponse)
        /// Tokens came from outside: a code was exchanged, or the caller made the request.
        case tokens(TokenResponse)
        /// A whole login: authorization and tokens, the ID token verified; without an authorization response, the
        /// requested scope.
        case loggedIn(AuthorizationResponse?, TokenResponse, requestedScope: String? = nil)
        /// An error that ends the authorization.
        case failed(AuthStateError)
        /// An access or refresh token was refused for good; has no effect when the token is no longer the current one.
        case tokenRefused(String, AuthStateError)
        /// A renewal was requested before the next use of the tokens.
        case refreshRequested
        /// A renewal by this state succeeded; the ID token in it was verified, or left out.
        case renewed(TokenResponse)
        /// A renewal with parameters rotated the refresh token; the default tokens stay.
        case rotated(refreshToken: String)
        /// The answer of a renewal failed a check: its tokens are withheld, its refresh token is kept.
        case renewalRefused(refreshToken: String?, pause: RenewalPause?)
        /// A renewal was sent, and no answer came.
        case renewalUnconfirmed
        /// The user logged out.
        case loggedOut
    }

    /// Returns a new name of 15 characters, the most that a string holds without memory of its own.
    package static func newGrantID() -> String { Base64URL.encode(SecureRandom.bytes(11)) }
}

extension AuthState.Event {
    /// Whether this is a new grant or its end, which voids the operations begun before.
    var beginsEpoch: Bool {
        switch self {
        case .registered, .registrationDeleted, .authorized, .tokens, .loggedIn, .loggedOut: true
        case .registrationChanged, .failed, .tokenRefused, .refreshRequested, .renewed, .rotated, .renewalRefused,
            .renewalUnconfirmed:
            false
        }
    }

    /// Whether this ends a grant and begins none.
    var endsGrant: Bool { beginsEpoch && !bringsClient }

    /// The time at which the tokens of this event were requested; nil without tokens.
    var issuedAt: Date? {
        switch self {
        case .tokens(let response), .loggedIn(_, let response, _), .renewed(let response): response.issuedAt
        default: nil
        }
    }

    /// Whether this is a grant to the client of this process, or that client itself, regardless of the stored one.
    var bringsClient: Bool {
        switch self {
        case .registered, .authorized, .tokens, .loggedIn: true
        default: false
        }
    }
}

extension AuthState.Record {
    /// Returns the state after an event; with `merged(with:)` this is the whole behaviour of a state.
    ///
    /// - Parameters:
    ///   - stamp: The time of the event; nil is just after everything that this state knows.
    ///   - grantID: The name of the grant that the event begins, if it begins one.
    package func applying(
        _ event: AuthState.Event, at stamp: AuthState.Stamp? = nil,
        grantID: @autoclosure () -> String = AuthState.newGrantID()
    ) -> Self {
        let stamp = stamp ?? nextStamp(at: event.issuedAt)
        var next = self
        next.revision &+= 1
        if event.beginsEpoch {
            next.grantEpoch &+= 1
            next.grantID = grantID()
            next.stamps.grant = stamp
            if event.bringsClient { next.stamps.client = stamp }
        }
        switch event {
        case .registered(let response):
            next.clearGrant()
            next.scope = nil
            next.lastAuthorizationResponse = nil
            next.lastRegistrationResponse = response
            next.stamps.registration = stamp
            next.client.provider = client.provider.adapted(to: response)
            next.client.id = response.clientID
            next.client.credential = response.credential(replacing: client.credential)
        case .registrationChanged(let response, let own):
            guard response.clientID == client.id else { return self }
            next.lastRegistrationResponse = response
            next.stamps.registration = stamp
            next.client.provider = client.provider.adapted(to: response)
            next.client.credential = response.credential(replacing: own ?? client.credential)
        case .registrationDeleted(let deleted):
            guard deleted == client.id else { return self }
            next.logOut()
            next.lastRegistrationResponse = nil
            next.stamps.registration = stamp
            next.client.credential = .none
        case .authorized(let response):
            next.clearGrant()
            next.machineGrant = nil
            next.lastAuthorizationResponse = response
            next.dpopKey = response.request.dpopKey
            next.scope = response.scope ?? response.request.scopes.requested
        case .tokens(let response):
            // A refresh token renews them from here on.
            if response.refreshToken != nil { next.machineGrant = nil }
            next.take(response, at: stamp)
        case .loggedIn(let authorization, let tokens, let requestedScope):
            next.clearGrant()
            // Other grants have no authorization request: their record is made with the key, and with what renews it.
            next.dpopKey = authorization == nil ? dpopKey : authorization?.request.dpopKey
            if authorization != nil { next.machineGrant = nil } else { next.resources = resources }
            next.lastAuthorizationResponse = authorization
            next.scope = authorization?.scope ?? authorization?.request.scopes.requested ?? requestedScope
            next.take(tokens, at: stamp)
        case .failed(let error):
            (next.authorizationError, next.stamps.error) = (error, stamp)
        case .tokenRefused(let token, let error):
            guard token == lastTokenResponse?.accessToken || token == refreshToken else { return self }
            next.authorizationError = error
            // It stands until there are newer tokens, also when another process has them already.
            next.stamps.error = AuthState.Stamp(at: nil, after: max(stamps.newestTokens - 1, stamps.error.time))
        case .refreshRequested:
            next.stamps.wish = stamp
        case .renewed(let response):
            next.take(response, at: stamp)
        case .rotated(let refreshToken):
            next.take(refreshToken, at: stamp)
        case .renewalRefused(let refreshToken, let pause):
            if let refreshToken { next.take(refreshToken, at: stamp) }
            (next.renewalPause, next.stamps.pause) = (pause, pause == nil ? .never : stamp)
        case .renewalUnconfirmed:
            next.stamps.unconfirmed = stamp
        case .loggedOut:
            next.logOut()
        }
        next.dropWhatTokensMadeVoid()
        return next
    }

    func nextStamp(at date: Date? = nil) -> AuthState.Stamp { AuthState.Stamp(at: date, after: stamps.newest) }

    /// Forgets the grant, and how it came about.
    private mutating func logOut() {
        clearGrant()
        scope = nil
        lastAuthorizationResponse = nil
        machineGrant = nil
        keep(nil)
        // Written by a newer version, and perhaps secret.
        unknownMembers = [:]
    }

    /// Forgets what the last grant brought.
    mutating func clearGrant() {
        lastTokenResponse = nil
        authorizationDetails = nil
        refreshToken = nil
        dpopKey = nil
        resources = []
        idToken = nil
        idTokenTrust = nil
        errorBox = nil
        pauseBox = nil
        let (grant, client, registration) = (stamps.grant, stamps.client, stamps.registration)
        stamps = AuthState.Stamps()
        (stamps.grant, stamps.client, stamps.registration) = (grant, client, registration)
    }

    /// Takes a refresh token in place of the one that was spent for it, if it is the newer one.
    private mutating func take(_ refreshToken: String, at stamp: AuthState.Stamp) {
        if stamp >= stamps.refreshToken { (self.refreshToken, stamps.refreshToken) = (refreshToken, stamp) }
    }

    /// Takes newer tokens; scope, details, refresh token and ID token change only when the response carries them.
    private mutating func take(_ response: TokenResponse, at stamp: AuthState.Stamp) {
        if let refreshToken = response.refreshToken { take(refreshToken, at: stamp) }
        guard stamp >= stamps.tokens else { return }
        (lastTokenResponse, stamps.tokens) = (response, stamp)
        if let scope = response.scope { self.scope = scope }
        if let details = response.authorizationDetails { authorizationDetails = details }
        if let idToken = response.idToken { (self.idToken, idTokenTrust) = (idToken, response.idTokenTrust) }
    }
}

extension RegistrationResponse {
    /// Returns the credential of the client: issued by the provider, or the client's own private key.
    func credential(replacing current: ClientCredential) -> ClientCredential {
        // When the provider names no method and issues no secret, the client's own method stays.
        let method = tokenEndpointAuthMethod ?? (clientSecret == nil ? current.method : nil)
        guard method?.usesOwnProof == true else { return credential }
        if method == current.method { return current }
        // A key that was given without a method.
        guard current.method == nil, current.source != .none else { return credential }
        var own = current
        own.method = method
        return own
    }
}

extension [Scope] {
    /// The scopes as one string; nil when none was asked for.
    var requested: String? { isEmpty ? nil : map(\.rawValue).joined(separator: " ") }
}
