package import AuthStateFoundation
package import AuthStateJOSE

/// An authorization response as a signed JWT (JARM, section 2.1); its parameters are available only after verification.
package struct SignedAuthorizationResponse: Sendable, Redacted {
    private let token: JSONWebToken
    private let request: AuthorizationRequest

    /// Reads the parameter `response` and checks its `state` first, as section 2.4 does: without the right `state` an
    /// attacker cannot cause a request for keys. Throws `AuthStateError`: `.malformedResponse`, `.unsupported` when it
    /// is encrypted, `.stateMismatch`.
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

    /// Checks signature, issuer, audience and times, and returns the parameters (section 2.4). Throws `JOSEError` for
    /// the signature, `AuthStateError` with `.invalidAuthorizationResponse` that names the claim.
    package func parameters(keys: JSONWebKeySet, now: Date) throws -> Parameters {
        if TrustCheck.signedResponseSignature.isOn {
            try token.verify(with: keys, allowed: request.client.provider.authorizationSigningAlgorithms)
        }
        let refusal = { (rule: ClaimRule) in
            AuthorizationRequest.refusal(
                .invalidAuthorizationResponse, rule.message("signed answer"), expected: rule.expected,
                received: rule.received(token), hint: rule.hint)
        }
        guard let issuer = request.client.provider.issuer else { throw refusal(Self.issuer) }
        var expectation = IDTokenExpectation(issuer: issuer, clientID: request.client.id, now: now)
        expectation.policy = request.client.provider.idTokenPolicy
        if let rule = Self.rules.broken(by: token, expectation) { throw refusal(rule) }
        return Self.parameters(token.claims)
    }

    private static let issuer = ClaimRule(
        check: .signedResponseIssuer, name: "iss", section: "JARM, 2.4", expected: "the issuer",
        hint: "Do not continue: this is how a mix-up attack looks."
    ) { $0.isIssued(by: $1.issuer) }

    private static let rules = [
        ClaimRule(
            check: .signedResponseType, name: "typ", section: "RFC 8725, 3.11", expected: "JWT, or no typ",
            hint: "Do not continue: this is a token of another kind."
        ) { token, _ in TokenKind.authorizationResponse.admits(token.header) },
        issuer,
        ClaimRule(
            check: .signedResponseAudience, name: "aud", section: "JARM, 2.4", expected: "this client",
            hint: "Do not continue: the answer was made for another client."
        ) { $0.isFor($1.clientID) },
        ClaimRule(
            check: .signedResponseExpiry, name: "exp", section: "JARM, 2.4", expected: "a time in the future",
            hint: startAgain
        ) { $0.isBeforeEnd($1) },
        ClaimRule(
            check: .signedResponseNotBefore, name: "nbf", section: "JARM, 2.4", expected: "a time in the past",
            hint: startAgain
        ) { $0.isAfterStart($1) },
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

    package var description: String { "signed authorization response: \(token)" }
}
