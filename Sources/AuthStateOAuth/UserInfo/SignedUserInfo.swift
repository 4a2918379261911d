import AuthStateFoundation
package import AuthStateJOSE

/// Userinfo as a signed JWT (OpenID Connect Core, 5.3.2 and 5.3.4); its claims are available only after verification.
package struct SignedUserInfo: Sendable, Hashable {
    private let token: JSONWebToken

    /// Reads a compact token.
    ///
    /// - Throws: `AuthStateError`: `.malformedResponse`, or `.unsupported` when it is encrypted.
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
    /// - Parameters:
    ///   - keys: The keys that the provider publishes.
    ///   - expectation: The issuer, the client and the time. The algorithms of its policy are those the client is
    ///     registered with for userinfo; its secret is the key of HS256 and the like. `none` is never accepted.
    /// - Throws: `JOSEError` for the signature, `AuthStateError` with `.invalidUserInfo` that names the claim.
    package func claims(keys: JSONWebKeySet, expectation: IDTokenExpectation) throws -> [String: JSONValue] {
        if TrustCheck.userInfoSignature.isOn { try verifySignature(keys, expectation) }
        for rule in Self.rules where !rule.check.holds(rule.isMet(token, expectation)) {
            throw AuthStateError(
                .invalidUserInfo, stage: .userinfo,
                "The signed userinfo failed a check: \(rule.name) (\(rule.section)).", expected: rule.expected,
                received: rule.isOfHeader
                    ? token.header.type : token.claims[rule.name] == nil ? "no \(rule.name)" : "another \(rule.name)")
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

    /// One rule about one claim, or one member of the header.
    private struct Rule: Sendable {
        var check: TrustCheck
        var name: String
        var section: String
        var expected: String
        var isOfHeader = false
        var isMet: @Sendable (JSONWebToken, IDTokenExpectation) -> Bool
    }

    private static let rules: [Rule] = [
        Rule(
            check: .userInfoType, name: "typ", section: "RFC 8725, 3.11", expected: "JWT, or no typ", isOfHeader: true
        ) { token, _ in TokenKind.userInfo.admits(token.header) },
        Rule(check: .userInfoEvent, name: "events", section: "RFC 8417, 4", expected: "no events") {
            token, _ in !token.isSecurityEvent
        },
        // Core 5.3.2: `iss` and `aud` SHOULD be there. TLS proves the server, and `sub` names the user of the claims.
        Rule(check: .userInfoIssuer, name: "iss", section: "Core 5.3.2", expected: "the issuer, or no iss") {
            token, expected in
            token.claims["iss"].map { $0.stringValue?.isExactly(expected.issuer.rawValue) == true } ?? true
        },
        Rule(check: .userInfoAudience, name: "aud", section: "Core 5.3.2", expected: "this client, or no aud") {
            token, expected in
            token.claims["aud"].map {
                ($0.arrayValue ?? [$0]).compactMap(\.stringValue).containsExactly(expected.clientID)
            } ?? true
        },
        Rule(
            check: .userInfoExpiry, name: "exp", section: "RFC 7519, 4.1.4", expected: "a time in the future"
        ) { token, expected in
            token.claims["exp"].map {
                ($0.doubleValue ?? 0) + expected.policy.leeway.inSeconds > expected.now.timeIntervalSince1970
            } ?? true
        },
        Rule(
            check: .userInfoNotBefore, name: "nbf", section: "RFC 7519, 4.1.5", expected: "a time in the past"
        ) { token, expected in
            token.claims["nbf"].map {
                ($0.doubleValue ?? .infinity) - expected.policy.leeway.inSeconds <= expected.now.timeIntervalSince1970
            } ?? true
        },
    ]
}

extension SignedUserInfo: Redacted {
    /// The token's algorithm and key, no claim.
    package var description: String { "signed userinfo: \(token)" }
}
