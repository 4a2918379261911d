import AuthStateFoundation
package import AuthStateJOSE

/// Userinfo as a signed JWT (OpenID Connect Core, 5.3.2 and 5.3.4); its claims are available only after verification.
package struct SignedUserInfo: Sendable, Hashable, Redacted {
    private let token: JSONWebToken

    /// Reads a compact token; throws `AuthStateError`: `.malformedResponse`, or `.unsupported` when it is encrypted.
    package init(parsing compact: String) throws {
        guard compact.utf8.count(where: { $0 == UInt8(ascii: ".") }) != 4 else {
            throw AuthStateError(
                .unsupported, stage: .userinfo, "The userinfo is encrypted, which is not supported.",
                expected: "JSON, or a signed JWT", received: "an encrypted JWT (RFC 7516)",
                hint: "Register the client without userinfo_encrypted_response_alg.")
        }
        do { token = try JSONWebToken(parsing: compact) } catch {
            throw AuthStateError(
                .malformedResponse, stage: .userinfo,
                "The userinfo is announced as a JWT and is none: \(error.message).",
                expected: error.expected, received: error.received)
        }
    }

    /// Whether the signature is keyed by the client's secret, not by a key that the provider publishes.
    package var isSymmetric: Bool { token.header.algorithm.isSymmetric }

    /// Checks signature, type, issuer, audience and times, and returns the claims.
    ///
    /// The algorithms of the expectation's policy are those the client is registered with for userinfo; its secret is
    /// the key of HS256 and the like. `none` is never accepted. Throws `JOSEError` for the signature, `AuthStateError`
    /// with `.invalidUserInfo` that names the claim.
    package func claims(keys: JSONWebKeySet, expectation: IDTokenExpectation) throws -> [String: JSONValue] {
        if TrustCheck.userInfoSignature.isOn { try verifySignature(keys, expectation) }
        if let rule = Self.rules.broken(by: token, expectation) {
            throw AuthStateError(
                .invalidUserInfo, stage: .userinfo, rule.message("signed userinfo"), expected: rule.expected,
                received: rule.received(token))
        }
        return token.claims.objectValue ?? [:]
    }

    private func verifySignature(_ keys: JSONWebKeySet, _ expectation: IDTokenExpectation) throws(JOSEError) {
        let allowed = expectation.policy.algorithms
        if isSymmetric, let key = try expectation.sharedKey(for: token.header.algorithm) {
            try token.verify(with: key, allowed: allowed)
        } else {
            try token.verify(with: keys, allowed: allowed.intersection(.asymmetric))
        }
    }

    private static let rules = [
        ClaimRule(check: .userInfoType, name: "typ", section: "RFC 8725, 3.11", expected: "JWT, or no typ") {
            token, _ in TokenKind.userInfo.admits(token.header)
        },
        ClaimRule(check: .userInfoEvent, name: "events", section: "RFC 8417, 4", expected: "no events") { token, _ in
            !token.isSecurityEvent
        },
        // Core 5.3.2: `iss` and `aud` SHOULD be there. TLS proves the server, and `sub` names the user of the claims.
        ClaimRule(check: .userInfoIssuer, name: "iss", section: "Core 5.3.2", expected: "the issuer, or no iss") {
            $0.claims["iss"] == nil || $0.isIssued(by: $1.issuer)
        },
        ClaimRule(check: .userInfoAudience, name: "aud", section: "Core 5.3.2", expected: "this client, or no aud") {
            $0.claims["aud"] == nil || $0.isFor($1.clientID)
        },
        ClaimRule(check: .userInfoExpiry, name: "exp", section: "RFC 7519, 4.1.4", expected: "a time in the future") {
            $0.claims["exp"] == nil || $0.isBeforeEnd($1)
        },
        ClaimRule(check: .userInfoNotBefore, name: "nbf", section: "RFC 7519, 4.1.5", expected: "a time in the past") {
            $0.isAfterStart($1)
        },
    ]

    package var description: String { "signed userinfo: \(token)" }
}

extension TrustCheck {
    /// `sub` is the ID token's (Core 5.3.2).
    package static let userInfoSubject = TrustCheck("userInfoSubject")
    /// Signed userinfo: the signature is the provider's (Core 5.3.4).
    package static let userInfoSignature = TrustCheck("userInfoSignature")
    /// Signed userinfo: `typ` names no other kind of token (RFC 8725, 3.11).
    package static let userInfoType = TrustCheck("userInfoType")
    /// Signed userinfo: there is no `events`, so that no logout token passes for userinfo (RFC 8417, 4).
    package static let userInfoEvent = TrustCheck("userInfoEvent")
    /// Signed userinfo: `iss` is the issuer (Core 5.3.2).
    package static let userInfoIssuer = TrustCheck("userInfoIssuer")
    /// Signed userinfo: `aud` contains the client (Core 5.3.2).
    package static let userInfoAudience = TrustCheck("userInfoAudience")
    /// Signed userinfo: `exp`, if present, is in the future (RFC 7519, 4.1.4).
    package static let userInfoExpiry = TrustCheck("userInfoExpiry")
    /// Signed userinfo: `nbf`, if present, is in the past (RFC 7519, 4.1.5).
    package static let userInfoNotBefore = TrustCheck("userInfoNotBefore")
    /// The endpoint of distributed claims is https (Core 5.6.2).
    package static let claimSourceTLS = TrustCheck("claimSourceTLS")
}
