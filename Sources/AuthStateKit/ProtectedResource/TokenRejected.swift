public import AuthStateFoundation
import AuthStateJOSE
public import AuthStateOAuth

/// Thrown from a `withFreshToken` body when the resource answered 401: the token is renewed and the body runs once more.
public struct TokenRejected: Error, Sendable, Hashable {
    /// The values of the answer's `WWW-Authenticate` lines.
    public var challenges: [String]
    /// The beginning of the answer's body, for the error that the state keeps when a renewal does not help.
    public var body: String?
    /// The answer's `DPoP-Nonce` (RFC 9449, section 9), for the next proof for `url`.
    ///
    /// Without it, the next proof uses the newest nonce that `Tokens.recordNonce` received. With several requests in progress
    /// that may be another request's nonce, and a server may accept each nonce only once.
    public var dpopNonce: String?
    /// The URL that answered; with `AuthState.Options.allowedOrigins` it decides whether the answer can end the login.
    public var url: URL?

    /// Makes a rejection.
    public init(challenges: [String], body: String? = nil, dpopNonce: String? = nil, url: URL? = nil) {
        (self.challenges, self.body, self.dpopNonce, self.url) = (challenges, body, dpopNonce, url)
    }

    /// Makes the rejection from the answer that refuses the token.
    public init(_ response: TransportResponse, of url: URL? = nil) {
        challenges = response.headers[values: "WWW-Authenticate"]
        body = response.body.isEmpty ? nil : String(decoding: response.body.prefix(1024), as: UTF8.self)
        dpopNonce = response.headers.dpopNonce
        self.url = url
    }
}

extension TokenRejected {
    /// Whether the answer may end the login: with allowed origins, only an answer known to come from one of them.
    func counts(among allowedOrigins: Set<String>?) -> Bool {
        guard let allowedOrigins else { return true }
        let origin = url.map { URIReference($0.absoluteString).origin }
        return TrustCheck.rejectionOrigin.holds(allowedOrigins.contains { URIReference($0).origin == origin })
    }

    /// Returns the rejection without the request's secrets that the resource repeats; challenges stay readable.
    func hiding(_ secrets: RequestSecrets) -> TokenRejected {
        var copy = self
        copy.challenges = challenges.map { secrets.hiding(foreign: $0, mark: "...") }
        copy.body = body.map { secrets.hiding(foreign: $0) }
        return copy
    }

    /// The resource asks for a nonce although it was given its newest one.
    var nonceAgain: AuthStateError {
        .nonceAgain(url?.redactedDescription ?? "the resource", isMissing: false, stage: .resource, status: 401)
    }
}

extension Tokens {
    /// Returns these tokens when the resource may accept them with another proof, and learns its nonce; else nil.
    func proving(after rejection: TokenRejected) -> Tokens? {
        guard isDPoPBound, ResourceVerdict(status: 401, challenges: rejection.challenges) == .nonceWanted else {
            return nil
        }
        let headers: TransportHeaders = ["DPoP-Nonce": rejection.dpopNonce ?? ""]
        guard let nonce = headers.dpopNonce, let url = rejection.url else { return self }
        recordNonce(from: headers, of: url)
        return answering(nonce, of: url)
    }
}

/// The effect of a refused access token on the state.
///
/// Without `AuthState.Options.allowedOrigins` the refusal of any host counts, so that a host that should not have
/// received the token can end the login. With them, only answers from those origins count: a refusal by another origin
/// fails its request, renews nothing and leaves the state unchanged. A `TokenRejected` without `url` renews, but never
/// ends the login.
///
/// The refusal of a token that was requested with `RenewalParameters` never ends the login. In a user's login such a token leads
/// to no further renewal for a minute after a second refusal, under `renewOnce` as under `renewOnceForRequest`.
public struct UnauthorizedPolicy: Sendable, Hashable {
    enum Choice: Sendable { case renewOnce, renewOnceForRequest, fail, failRequestOnly }
    let choice: Choice
    var renews: Bool { choice == .renewOnce || choice == .renewOnceForRequest }

    /// What a refusal that no renewal mends does to the state.
    enum Effect: Sendable {
        case none, remembersToken, endsLogin
    }

    /// Returns the effect of a refusal that no renewal mends.
    ///
    /// - Parameters:
    ///   - isMachine: Whether the grant is a client's own, without a user who could log in again.
    ///   - isSide: Whether the token was requested with parameters.
    func effect(isMachine: Bool, isSide: Bool) -> Effect {
        switch choice {
        case .failRequestOnly: .none
        case .renewOnceForRequest: .remembersToken
        case .renewOnce: isMachine ? .none : isSide ? .remembersToken : .endsLogin
        case .fail: isSide ? .none : .endsLogin
        }
    }

    /// One renewal and one more try; a second refusal moves the state into error, unless it is a client's own: that has
    /// no user who could log in again, so its next request tries another token.
    public static let renewOnce = UnauthorizedPolicy(choice: .renewOnce)
    /// One renewal and one more try; after a second refusal the request fails and the state stays as it is. For a minute the
    /// refused token leads to no further renewal.
    ///
    /// For a program that passes on the requests of others: one path that refuses the token says nothing of the rest.
    public static let renewOnceForRequest = UnauthorizedPolicy(choice: .renewOnceForRequest)
    /// The first refusal moves the state into error.
    public static let fail = UnauthorizedPolicy(choice: .fail)
    /// The request fails and the state stays as it is.
    public static let failRequestOnly = UnauthorizedPolicy(choice: .failRequestOnly)
}
