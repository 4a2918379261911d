public import AuthStateFoundation
public import AuthStateJOSE

/// An ID token's claims (OpenID Connect Core, section 2); made from a token, they are not checked yet.
public struct IDToken: Sendable {
    /// The compact token.
    public let rawValue: String
    /// Header, claims and signature.
    let token: JSONWebToken

    /// Reads a compact token.
    ///
    /// - Throws: `JOSEError` when it is not a signed JWT.
    public init(parsing compact: String) throws {
        token = try JSONWebToken(parsing: compact)
        rawValue = compact
    }

    /// All claims; one that is null is absent.
    public var claims: JSONValue { token.claims }

    /// A claim, for a check; an empty text is none.
    func claim(_ name: String) -> JSONValue? {
        guard claims[name] == "" else { return claims[name] }
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
}

extension IDToken: Redacted {
    /// Issuer and subject, not the token.
    public var description: String {
        "ID token of \((subject ?? "no subject").printable()) from \((issuer ?? "no issuer").printable())"
    }
}
