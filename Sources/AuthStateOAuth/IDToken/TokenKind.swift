import AuthStateJOSE

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
    /// Signed authorization responses have no type of their own in JARM.
    static let authorizationResponse = TokenKind(types: [])
    /// Back-Channel Logout 1.0, section 2.4; a logout token is a security event token (RFC 8417, section 2.3).
    static let logoutToken = TokenKind(types: ["logout+jwt", "secevent+jwt"])

    /// Returns whether a header names this kind, or none.
    func admits(_ header: JOSEHeader) -> Bool {
        guard var type = header.type, type.utf8.contains(UInt8(ascii: "+")) else { return true }
        // RFC 7515, section 4.1.9: "application/" may be left out; media types are compared in any case.
        type = type.lowercased()
        if type.hasPrefix("application/") { type.removeFirst("application/".count) }
        return types.contains(type)
    }
}

extension JSONWebToken {
    /// Whether the claims are those of a security event token, as logout tokens are (RFC 8417, section 2.2).
    var isSecurityEvent: Bool { claims["events"] != nil }
}
