public import AuthStateFoundation
public import AuthStateJOSE

/// An ID token's claims (OpenID Connect Core, section 2); made from a token, they are not checked yet.
public struct IDToken: Sendable, Redacted {
    /// The compact token.
    public let rawValue: String
    let token: JSONWebToken

    /// Reads a compact token; throws `JOSEError` when it is not a signed JWT.
    public init(parsing compact: String) throws {
        token = try JSONWebToken(parsing: compact)
        rawValue = compact
    }

    /// All claims; one that is null is absent.
    public var claims: JSONValue { token.claims }

    /// A claim, for a check; one without content is none.
    func claim(_ name: String) -> JSONValue? {
        guard let claim = claims[name] else { return nil }
        guard claim.isContentless else { return claim }
        Leniency.nullClaim.note(name)
        return nil
    }
    /// `iss`, exactly.
    public var issuer: String? { claims["iss"]?.stringValue }
    /// `sub`.
    public var subject: String? { claims["sub"]?.stringValue }
    /// `aud`, one or several; empty when it is anything but strings.
    public var audience: [String] {
        if let audience = claims["aud"]?.stringValue { return [audience] }
        guard let members = claims["aud"]?.arrayValue else { return [] }
        let audience = members.compactMap(\.stringValue)
        return audience.count == members.count ? audience : []
    }
    /// `exp`.
    public var expiresAt: Date? { date("exp") }
    /// `iat`.
    public var issuedAt: Date? { date("iat") }
    /// `nbf`.
    public var notBefore: Date? { date("nbf") }
    /// `auth_time`.
    public var authenticatedAt: Date? { date("auth_time") }
    /// `nonce`.
    public var nonce: String? { claim("nonce")?.stringValue }
    /// `azp`.
    public var authorizedParty: String? { claim("azp")?.stringValue }
    /// `acr`.
    public var authenticationContextClass: String? { claims["acr"]?.stringValue }
    /// `amr`.
    public var authenticationMethods: [String] { claims["amr"]?.arrayValue?.compactMap(\.stringValue) ?? [] }
    /// `sid`, the session at the provider.
    public var sessionID: String? { claims["sid"]?.stringValue }

    /// Seconds since 1970, with a fraction when the provider sends one.
    private func date(_ name: String) -> Date? {
        guard let seconds = claims[name]?.doubleValue, abs(seconds) < 1e12 else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    /// Issuer and subject, not the token.
    public var description: String {
        "ID token of \((subject ?? "no subject").printable()) from \((issuer ?? "no issuer").printable())"
    }

    /// Whether another ID token is the same account's: `iss` and `sub` together name it (OpenID Connect Core, section 5.7).
    package func isSameAccount(as other: IDToken) -> Bool {
        guard let issuer, let subject, let theirIssuer = other.issuer, let theirSubject = other.subject else {
            return false
        }
        return issuer.isExactly(theirIssuer) && subject.isExactly(theirSubject)
    }

    /// Checks that the account of a new login, whose ID token was verified, is that of the login before; throws
    /// `AuthStateError` with `.accountChanged`.
    package static func checkAccount(of next: String?, isThatOf previous: String) throws {
        let before = try IDToken(parsing: previous)
        let after = try next.map(IDToken.init(parsing:))
        guard TrustCheck.reauthorizedAccount.holds(after?.isSameAccount(as: before) == true) else {
            throw AuthStateError(
                .accountChanged, stage: .token, "Another account logged in than the one that the request is for.",
                expected: "the iss and sub of the login before",
                received: after.map { before.issuer == $0.issuer ? "another sub" : "another iss" } ?? "no ID token",
                hint: "Log in with the same account, or sign out first.")
        }
    }
}

/// A kind of JWT that a provider signs, told from other kinds by `typ` (RFC 8725, section 3.11).
///
/// A `typ` with a structured suffix, such as `at+jwt` or `logout+jwt`, names a kind, and only that kind is accepted. Any
/// other `typ` names none: providers send `JWT`, `JOSE`, or nothing.
struct TokenKind: Sendable {
    /// The values of `typ` that name this kind, in lower case and without `application/`.
    let types: Set<String>

    /// ID tokens have no type of their own in OpenID Connect Core.
    static let idToken = TokenKind(types: ["id_token+jwt"])
    /// Signed userinfo has no type of its own in OpenID Connect Core.
    static let userInfo = TokenKind(types: [])
    /// Signed metadata of a resource have no type of their own in RFC 9728.
    static let resourceMetadata = TokenKind(types: [])
    /// Signed authorization responses have no type of their own in JARM.
    static let authorizationResponse = TokenKind(types: [])
    /// Back-Channel Logout 1.0, section 2.4; a logout token is a security event token (RFC 8417, section 2.3).
    static let logoutToken = TokenKind(types: ["logout+jwt", "secevent+jwt"])

    func admits(_ header: JOSEHeader) -> Bool {
        guard var type = header.type, type.utf8.contains(UInt8(ascii: "+")) else { return true }
        // RFC 7515, section 4.1.9: "application/" may be left out; media types are compared in any case.
        type = type.lowercased()
        if type.hasPrefix("application/") { type.removeFirst("application/".count) }
        return types.contains(type)
    }
}
