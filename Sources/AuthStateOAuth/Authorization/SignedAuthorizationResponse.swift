package import AuthStateFoundation
package import AuthStateJOSE

/// An authorization response as a signed JWT (JARM, section 2.1); its parameters are available only after verification.
package struct SignedAuthorizationResponse: Sendable {
    private let token: JSONWebToken
    private let request: AuthorizationRequest

    /// Reads the parameter `response` and checks its `state` first, as section 2.4 does: without the right `state` an
    /// attacker cannot cause a request for keys.
    ///
    /// - Throws: `AuthStateError`: `.malformedResponse`, `.unsupported` when it is encrypted, `.stateMismatch`.
    init(parsing compact: String, for request: AuthorizationRequest) throws {
        // RFC 7516, section 3.1: header, encrypted key, initialization vector, ciphertext and tag.
        guard compact.utf8.count(where: { $0 == UInt8(ascii: ".") }) != 4 else {
            throw AuthorizationRequest.refusal(
                .unsupported, "The answer is encrypted, which is not supported.", expected: "a signed JWT",
                received: "an encrypted JWT (RFC 7516)",
                hint: "Register the client without authorization_encrypted_response_alg.")
        }
        do { token = try JSONWebToken(parsing: compact) } catch {
            throw AuthorizationRequest.refusal(
                .malformedResponse, "The answer is not a signed JWT: \(error.message).", expected: error.expected,
                received: error.received)
        }
        self.request = request
        try AuthorizationResponse.checkState(Self.parameters(token.claims), request)
    }

    /// The `state` that an answer names, to find the login that it may belong to; nothing of it is verified.
    static func claimedState(_ compact: String) -> String? {
        (try? JSONWebToken(parsing: compact))?.claims["state"]?.stringValue
    }

    /// Checks signature, issuer, audience and times, and returns the parameters (section 2.4).
    ///
    /// - Parameter keys: The keys that the provider publishes.
    /// - Throws: `JOSEError` for the signature, `AuthStateError` with `.invalidAuthorizationResponse` that names the claim.
    package func parameters(keys: JSONWebKeySet, now: Date) throws -> Parameters {
        if TrustCheck.signedResponseSignature.isOn {
            try token.verify(with: keys, allowed: request.client.provider.authorizationSigningAlgorithms)
        }
        guard TrustCheck.signedResponseType.holds(TokenKind.authorizationResponse.admits(token.header)) else {
            throw AuthorizationRequest.refusal(
                .invalidAuthorizationResponse, "The signed answer failed a check: typ (RFC 8725, 3.11).",
                expected: "JWT, or no typ", received: token.header.type,
                hint: "Do not continue: this is a token of another kind.")
        }
        let now = now.timeIntervalSince1970
        for rule in Self.rules where !rule.check.holds(rule.isMet(token.claims, request, now)) {
            throw AuthorizationRequest.refusal(
                .invalidAuthorizationResponse, "The signed answer failed a check: \(rule.claim) (JARM, 2.4).",
                expected: rule.expected,
                received: token.claims[rule.claim] == nil ? "no \(rule.claim)" : "another \(rule.claim)",
                hint: rule.hint)
        }
        return Self.parameters(token.claims)
    }

    /// One rule about one claim.
    private struct Rule: Sendable {
        var check: TrustCheck
        var claim: String
        var expected: String
        var hint: String
        var isMet: @Sendable (_ claims: JSONValue, AuthorizationRequest, _ now: Double) -> Bool
    }

    private static let rules: [Rule] = [
        Rule(
            check: .signedResponseIssuer, claim: "iss", expected: "the issuer",
            hint: "Do not continue: this is how a mix-up attack looks."
        ) { claims, request, _ in
            guard let issuer = request.client.provider.issuer?.rawValue else { return false }
            return claims["iss"]?.stringValue?.isExactly(issuer) == true
        },
        Rule(
            check: .signedResponseAudience, claim: "aud", expected: "this client",
            hint: "Do not continue: the answer was made for another client."
        ) { claims, request, _ in
            let audience = claims["aud"]?.arrayValue ?? claims["aud"].map { [$0] } ?? []
            return audience.compactMap(\.stringValue).containsExactly(request.client.id)
        },
        Rule(
            check: .signedResponseExpiry, claim: "exp", expected: "a time in the future", hint: startAgain
        ) { claims, request, now in
            (claims["exp"]?.doubleValue ?? 0) + request.client.provider.idTokenPolicy.leeway.inSeconds > now
        },
        Rule(
            check: .signedResponseNotBefore, claim: "nbf", expected: "a time in the past", hint: startAgain
        ) { claims, request, now in
            guard let start = claims["nbf"] else { return true }
            return (start.doubleValue ?? .infinity) - request.client.provider.idTokenPolicy.leeway.inSeconds <= now
        },
    ]

    private static let startAgain = "Start the login again; if it happens again check this machine's clock."

    /// The claims that belong to the JWT, and are no parameters of the answer.
    private static let registered: Set = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]

    /// Text as it is, everything else as JSON.
    private static func parameters(_ claims: JSONValue) -> Parameters {
        var result: Parameters = [:]
        for (name, value) in (claims.objectValue ?? [:]).sorted(by: { $0.key < $1.key })
        where !registered.contains(name) && value != .null {
            result[name] = value.stringValue ?? String(decoding: value.serialized(), as: UTF8.self)
        }
        return result
    }
}

extension SignedAuthorizationResponse: Redacted {
    /// The token's algorithm and key, no claim.
    package var description: String { "signed authorization response: \(token)" }
}
