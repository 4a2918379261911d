import AuthStateFoundation
import AuthStateJOSE

/// One rule for a signed token that is no ID token: about a claim, or about `typ`.
struct ClaimRule: Sendable {
    let check: TrustCheck
    let name: String
    let section: String
    let expected: String
    var hint: String?
    let isMet: @Sendable (JSONWebToken, IDTokenExpectation) -> Bool

    func message(_ token: String) -> String { "The \(token) failed a check: \(name) (\(section))." }

    /// The phrase for such a token, without the value of a claim.
    func received(_ token: JSONWebToken) -> String? {
        name == "typ" ? token.header.type : token.claims[name] == nil ? "no \(name)" : "another \(name)"
    }
}

extension [ClaimRule] {
    func broken(by token: JSONWebToken, _ expectation: IDTokenExpectation) -> ClaimRule? {
        first { !$0.check.holds($0.isMet(token, expectation)) }
    }
}

extension JSONWebToken {
    /// Whether the claims are those of a security event token, as logout tokens are (RFC 8417, section 2.2).
    var isSecurityEvent: Bool { claims["events"] != nil }

    func isIssued(by issuer: Issuer) -> Bool { claims["iss"]?.stringValue?.isExactly(issuer.rawValue) == true }

    func isFor(_ clientID: String) -> Bool {
        let audience = claims["aud"]?.arrayValue ?? claims["aud"].map { [$0] } ?? []
        return audience.compactMap(\.stringValue).containsExactly(clientID)
    }

    /// Whether `exp` is in the future; false without one.
    func isBeforeEnd(_ expected: IDTokenExpectation) -> Bool {
        (claims["exp"]?.doubleValue ?? 0) + expected.policy.leeway.inSeconds > expected.now.timeIntervalSince1970
    }

    /// Whether `nbf`, if present, is in the past.
    func isAfterStart(_ expected: IDTokenExpectation) -> Bool {
        guard let start = claims["nbf"] else { return true }
        return (start.doubleValue ?? .infinity) - expected.policy.leeway.inSeconds <= expected.now.timeIntervalSince1970
    }
}
