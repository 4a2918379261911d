package import AuthStateJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Userinfo as a signed JWT (OpenID Connect Core, 5.3.2 and 5.3.4); its claims come out only when it is verified.
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

    /// Checks signature, issuer, audience and times, and gives the claims out.
    ///
    /// - Parameters:
    ///   - keys: The keys that the provider publishes.
    ///   - expectation: Issuer, client and time; shared secrets and `none` are not accepted, whatever its policy says.
    ///   - mayBeUnaddressed: Whether `iss` and `aud` may be absent; what is there has to be right all the same.
    /// - Throws: `JOSEError` for the signature, `AuthStateError` with `.invalidUserInfo` that names the claim.
    package func claims(
        keys: JSONWebKeySet, expectation: IDTokenExpectation, mayBeUnaddressed: Bool = false
    ) throws -> [String: JSONValue] {
        if TrustCheck.userInfoSignature.isOn {
            try token.verify(with: keys, allowed: expectation.policy.algorithms.intersection(.asymmetric))
        }
        for rule in Self.rules where !rule.check.holds(rule.isMet(token.claims, expectation, mayBeUnaddressed)) {
            throw AuthStateError(
                .invalidUserInfo, stage: .userinfo,
                "The signed userinfo failed a check: \(rule.claim) (\(rule.section)).", expected: rule.expected,
                received: token.claims[rule.claim] == nil ? "no \(rule.claim)" : "another \(rule.claim)",
                hint: rule.hint)
        }
        return token.claims.objectValue ?? [:]
    }

    /// One rule about one claim.
    private struct Rule: Sendable {
        var check: TrustCheck
        var claim: String
        var section: String
        var expected: String
        var hint: String?
        var isMet: @Sendable (JSONValue, IDTokenExpectation, _ mayBeUnaddressed: Bool) -> Bool
    }

    private static let rules: [Rule] = [
        Rule(
            check: .userInfoIssuer, claim: "iss", section: "Core 5.3.2", expected: "the issuer",
            hint: unaddressed
        ) { claims, expected, mayBeUnaddressed in
            claims["iss"].map { $0.stringValue?.isExactly(expected.issuer.rawValue) == true } ?? mayBeUnaddressed
        },
        Rule(
            check: .userInfoAudience, claim: "aud", section: "Core 5.3.2", expected: "this client",
            hint: unaddressed
        ) { claims, expected, mayBeUnaddressed in
            claims["aud"].map { ($0.arrayValue ?? [$0]).compactMap(\.stringValue).containsExactly(expected.clientID) }
                ?? mayBeUnaddressed
        },
        Rule(
            check: .userInfoExpiry, claim: "exp", section: "RFC 7519, 4.1.4", expected: "a time in the future"
        ) { claims, expected, _ in
            claims["exp"].map { ($0.doubleValue ?? 0) + expected.policy.leeway > expected.now.timeIntervalSince1970 }
                ?? true
        },
        Rule(
            check: .userInfoNotBefore, claim: "nbf", section: "RFC 7519, 4.1.5", expected: "a time in the past"
        ) { claims, expected, _ in
            claims["nbf"].map {
                ($0.doubleValue ?? .infinity) - expected.policy.leeway <= expected.now.timeIntervalSince1970
            }
                ?? true
        },
    ]

    private static let unaddressed =
        "Tolerate unaddressedUserInfo where the provider is known to leave it out."
}

extension SignedUserInfo: CustomStringConvertible, CustomReflectable {
    /// The token's algorithm and key, no claim.
    package var description: String { "signed userinfo: \(token)" }
    /// What `description` shows.
    package var customMirror: Mirror { Mirror(self, children: ["userinfo": description]) }
}
