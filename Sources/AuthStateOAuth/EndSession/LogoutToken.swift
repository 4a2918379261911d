public import AuthStateFoundation
public import AuthStateJOSE

/// The token that a provider posts to a web server when a user has logged out elsewhere (OpenID Connect Back-Channel
/// Logout 1.0, section 2.4). A value exists only after its checks.
///
/// End the sessions of `sessionID` when there is one, else all of `subject`. Remember `tokenID` until `expiresAt`, and
/// accept each once (section 2.6, 6).
public struct LogoutToken: Sendable, Hashable {
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
    public static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Checks a token: the signature first, then the claims (section 2.6).
    ///
    /// - Parameters:
    ///   - compact: The form parameter `logout_token`.
    ///   - keys: The keys that the provider publishes.
    ///   - expectation: Issuer, client and time, with the policy's leeway and algorithms: name the one that the client is
    ///     registered with (`id_token_signed_response_alg`). The default policy means RS256. Shared secrets and `none` are
    ///     not accepted.
    /// - Throws: `AuthStateError` of stage logout: `.invalidSignature`, or `.invalidLogoutToken` that names the check.
    public init(_ compact: String, keys: JSONWebKeySet, expectation: IDTokenExpectation) throws {
        do { try self.init(verifying: compact, keys: keys, expectation: expectation) } catch let error as JOSEError {
            throw AuthStateError(refusedSignature: error, of: "logout token", stage: .logout)
        }
    }

    /// The same, with a `JOSEError` for the signature: another key may be the right one.
    package init(verifying compact: String, keys: JSONWebKeySet, expectation: IDTokenExpectation) throws {
        let token = try JSONWebToken(parsing: compact)
        try token.verify(with: keys, allowed: expectation.policy.registeredAlgorithms.intersection(.asymmetric))
        let claims = token.claims
        guard TrustCheck.logoutTokenType.holds(TokenKind.logoutToken.admits(token.header)) else {
            throw AuthStateError(
                .invalidLogoutToken, stage: .logout, "The logout token failed a check: typ (2.4).",
                expected: "logout+jwt, JWT, or no typ", received: token.header.type,
                hint: "Answer with status 400; end no session.")
        }
        for rule in Self.rules where !rule.check.holds(rule.isMet(claims, expectation)) {
            throw AuthStateError(
                .invalidLogoutToken, stage: .logout,
                "The logout token failed a check: \(rule.claim) (2.6, \(rule.step)).",
                expected: [rule.expected, rule.name?(expectation)].compactMap(\.self).joined(separator: ", "),
                received: rule.name == nil
                    ? nil : claims[rule.claim].map { String(decoding: $0.serialized(), as: UTF8.self) },
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
}

extension LogoutToken {
    /// One rule about one claim (section 2.6).
    private struct Rule: Sendable {
        var check: TrustCheck
        var claim: String
        var step: Int
        var expected: String
        /// What the login has in this place, where it is a name that may be shown.
        var name: (@Sendable (IDTokenExpectation) -> String)?
        var isMet: @Sendable (JSONValue, IDTokenExpectation) -> Bool
    }

    private static let rules: [Rule] = [
        Rule(
            check: .logoutTokenIssuer, claim: "iss", step: 4, expected: "the issuer of the login",
            name: { $0.issuer.rawValue }
        ) { claims, expectation in
            claims["iss"]?.stringValue?.isExactly(expectation.issuer.rawValue) == true
        },
        Rule(
            check: .logoutTokenAudience, claim: "aud", step: 4, expected: "this client", name: { $0.clientID }
        ) { claims, expectation in
            let audience = claims["aud"]?.arrayValue ?? claims["aud"].map { [$0] } ?? []
            return audience.contains { $0.stringValue == expectation.clientID }
        },
        Rule(check: .logoutTokenTimes, claim: "iat", step: 4, expected: "a token that was issued just now") {
            claims, expectation in
            let (now, leeway) = (expectation.now.timeIntervalSince1970, expectation.policy.leeway.inSeconds)
            guard let issued = claims["iat"]?.doubleValue else { return false }
            return issued <= now + leeway && issued >= now - expectation.policy.maximumAge.inSeconds
        },
        Rule(check: .logoutTokenExpiry, claim: "exp", step: 4, expected: "an end that is to come") {
            claims, expectation in
            let now = expectation.now.timeIntervalSince1970
            return end(of: claims, expectation).map { $0 > now - expectation.policy.leeway.inSeconds && $0 < 1e12 }
                ?? false
        },
        Rule(check: .logoutTokenSubject, claim: "sub", step: 5, expected: "sub, sid or both, as text") { claims, _ in
            let named = [claims["sub"], claims["sid"]].compactMap(\.self)
            return !named.isEmpty && named.allSatisfy { $0.stringValue?.isEmpty == false }
        },
        Rule(check: .logoutTokenEvent, claim: "events", step: 6, expected: "the event \(event)") { claims, _ in
            claims["events"]?[event]?.objectValue != nil
        },
        Rule(check: .logoutTokenNonce, claim: "nonce", step: 7, expected: "no nonce, which only ID tokens have") {
            claims, _ in claims["nonce"] == nil
        },
        Rule(check: .logoutTokenID, claim: "jti", step: 8, expected: "jti") { claims, _ in
            claims["jti"]?.stringValue?.isEmpty == false
        },
    ]
}

extension LogoutToken: Redacted {
    /// The issuer; nothing of the user.
    public var description: String { "logout token of \(issuer)" }
}
