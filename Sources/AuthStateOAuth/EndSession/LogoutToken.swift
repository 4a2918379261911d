public import AuthStateFoundation
public import AuthStateJOSE

/// The token that a provider posts to a web server when a user has logged out elsewhere (OpenID Connect Back-Channel
/// Logout 1.0, section 2.4). A value exists only after its checks.
///
/// End the sessions of `sessionID` when there is one, else all of `subject`. Remember `tokenID` until `expiresAt`, and
/// accept each once (section 2.6, 6).
public struct LogoutToken: Sendable, Hashable, Redacted {
    /// The issuer that sent it.
    public let issuer: Issuer
    /// The user (`sub`); nil when only a session is named.
    public let subject: String?
    /// The session at the provider (`sid`), as in the ID token; nil when all of the user's sessions end.
    public let sessionID: String?
    /// The token's own identifier (`jti`).
    public let tokenID: String
    /// When the provider issued the token.
    public let issuedAt: Date
    /// When the token expires.
    public let expiresAt: Date

    /// The event that makes a token a logout token (section 2.4).
    package static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Checks a token: the signature first, then the claims (section 2.6). Throws `AuthStateError` of stage logout:
    /// `.invalidSignature`, or `.invalidLogoutToken` that names the check.
    package init(_ compact: String, keys: JSONWebKeySet, expectation: IDTokenExpectation) throws {
        do { try self.init(verifying: compact, keys: keys, expectation: expectation) } catch let error as JOSEError {
            throw AuthStateError(refusedSignature: error, of: "logout token", stage: .logout)
        }
    }

    /// The same, with a `JOSEError` for the signature: another key may be the right one.
    package init(verifying compact: String, keys: JSONWebKeySet, expectation: IDTokenExpectation) throws {
        let token = try JSONWebToken(parsing: compact)
        try token.verify(with: keys, allowed: expectation.policy.registeredAlgorithms.intersection(.asymmetric))
        let claims = token.claims
        if let rule = Self.rules.broken(by: token, expectation) {
            let name = ["iss": expectation.issuer.rawValue, "aud": expectation.clientID][rule.name]
            let claim = claims[rule.name].map { String(decoding: $0.serialized(), as: UTF8.self) }
            throw AuthStateError(
                .invalidLogoutToken, stage: .logout, rule.message("logout token"),
                expected: [rule.expected, name].compactMap(\.self).joined(separator: ", "),
                received: rule.name == "typ" ? token.header.type : name == nil ? nil : claim,
                hint: "Answer with status 400; end no session.")
        }
        issuer = expectation.issuer
        subject = claims["sub"]?.stringValue
        sessionID = claims["sid"]?.stringValue
        tokenID = claims["jti"]?.stringValue ?? ""
        issuedAt = Date(timeIntervalSince1970: claims["iat"]?.doubleValue ?? 0)
        expiresAt = Date(timeIntervalSince1970: Self.end(of: claims, expectation) ?? 0)
    }

    /// The end of a token, in seconds since 1970; nil where it has none and must.
    private static func end(of claims: JSONValue, _ expectation: IDTokenExpectation) -> Double? {
        if claims["exp"] != nil || !expectation.toleratesMissingLogoutExpiry { return claims["exp"]?.doubleValue }
        // The longest time that the specification recommends (section 4).
        return claims["iat"]?.doubleValue.map { $0 + 120 }
    }

    /// The issuer; nothing of the user.
    public var description: String { "logout token of \(issuer)" }

    private static let rules = [
        ClaimRule(
            check: .logoutTokenType, name: "typ", section: "2.4", expected: "logout+jwt, JWT, or no typ"
        ) { token, _ in TokenKind.logoutToken.admits(token.header) },
        ClaimRule(check: .logoutTokenIssuer, name: "iss", section: "2.6, 4", expected: "the issuer of the login") {
            $0.isIssued(by: $1.issuer)
        },
        ClaimRule(check: .logoutTokenAudience, name: "aud", section: "2.6, 4", expected: "this client") {
            $0.isFor($1.clientID)
        },
        ClaimRule(
            check: .logoutTokenTimes, name: "iat", section: "2.6, 4", expected: "a token that was issued just now"
        ) { token, expectation in
            let (now, leeway) = (expectation.now.timeIntervalSince1970, expectation.policy.leeway.inSeconds)
            guard let issued = token.claims["iat"]?.doubleValue else { return false }
            return issued <= now + leeway && issued >= now - expectation.policy.maximumAge.inSeconds
        },
        ClaimRule(check: .logoutTokenExpiry, name: "exp", section: "2.6, 4", expected: "an end in the future") {
            token, expectation in
            let now = expectation.now.timeIntervalSince1970
            let end = end(of: token.claims, expectation)
            return end.map { $0 > now - expectation.policy.leeway.inSeconds && $0 < 1e12 } ?? false
        },
        ClaimRule(check: .logoutTokenSubject, name: "sub", section: "2.6, 5", expected: "sub, sid or both, as text") {
            token, _ in
            let named = [token.claims["sub"], token.claims["sid"]].compactMap(\.self)
            return !named.isEmpty && named.allSatisfy { $0.stringValue?.isEmpty == false }
        },
        ClaimRule(check: .logoutTokenEvent, name: "events", section: "2.6, 6", expected: "the event \(event)") {
            token, _ in token.claims["events"]?[event]?.objectValue != nil
        },
        ClaimRule(
            check: .logoutTokenNonce, name: "nonce", section: "2.6, 7", expected: "no nonce, which only ID tokens have"
        ) { token, _ in token.claims["nonce"] == nil },
        ClaimRule(check: .logoutTokenID, name: "jti", section: "2.6, 8", expected: "jti") { token, _ in
            token.claims["jti"]?.stringValue?.isEmpty == false
        },
    ]
}

/// The checks of logouts; the sections of logout tokens are those of OpenID Connect Back-Channel Logout 1.0.
extension TrustCheck {
    /// The callback is at the post-logout redirect URI (RP-Initiated Logout, 3).
    package static let logoutPlace = TrustCheck("logoutPlace")
    /// The post-logout redirect URI's own query comes back, each pair once and unchanged (RP-Initiated Logout, 3).
    package static let logoutQuery = TrustCheck("logoutQuery")
    /// `state` is the request's (RP-Initiated Logout, 3).
    package static let logoutState = TrustCheck("logoutState")
    /// 2.4; RFC 8725, 3.11: `typ` names no other kind of token.
    package static let logoutTokenType = TrustCheck("logoutTokenType")
    /// 2.6, 4: `iss` is the issuer.
    package static let logoutTokenIssuer = TrustCheck("logoutTokenIssuer")
    /// 2.6, 4: `aud` names the client.
    package static let logoutTokenAudience = TrustCheck("logoutTokenAudience")
    /// 2.6, 4: `iat` is now.
    package static let logoutTokenTimes = TrustCheck("logoutTokenTimes")
    /// 2.6, 4: `exp` is in the future.
    package static let logoutTokenExpiry = TrustCheck("logoutTokenExpiry")
    /// 2.6, 5: `sub` or `sid` names the user or session.
    package static let logoutTokenSubject = TrustCheck("logoutTokenSubject")
    /// 2.6, 6: `events` says that this is a logout.
    package static let logoutTokenEvent = TrustCheck("logoutTokenEvent")
    /// 2.6, 7: there is no `nonce`, so that no ID token passes for a logout token.
    package static let logoutTokenNonce = TrustCheck("logoutTokenNonce")
    /// 2.4: `jti` is present, so that a token is accepted once.
    package static let logoutTokenID = TrustCheck("logoutTokenID")
}
