import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

extension ClientCredential {
    /// Returns the client's proof for one request: the secret, read from its source, or a newly signed assertion.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable`, which names the variable or file; `.unsupported` when
    ///   the provider accepts no algorithm that the key can sign with.
    func authentication(
        clientID: String, provider: ProviderConfiguration, endpoint: URL, now: Date, stage: AuthStateError.Stage
    ) throws -> ClientAuthentication {
        let accepted = provider.acceptedAuthentication(at: endpoint)
        func assertion(_ key: JSONWebKey, _ method: ClientAuthenticationMethod) throws -> ClientAuthentication {
            let signingKey = try SigningKey(
                forAssertionsWith: key, algorithm: signingAlgorithm,
                accepted: accepted.signingAlgorithms, tolerances: provider.tolerances, stage: stage)
            var assertion = ClientAssertion(
                clientID: clientID, audience: provider.assertionAudience(at: endpoint), issuedAt: now)
            if provider.tolerances.contains(.plainAssertionType) { assertion.headerType = "JWT" }
            return try .assertion(assertion.signed(with: signingKey), clientID: clientID, method: method)
        }
        try checkNamed(stage: stage)
        if let method, method.usesCertificate { return try .certificate(clientID: clientID, method: method) }
        if isAssertion {
            let assertion = try issuedAssertion(stage: stage)
            if method == .spiffeJWT { try Self.checkAudience(of: assertion, at: provider, endpoint, stage: stage) }
            return try .assertion(assertion, clientID: clientID, method: method ?? .privateKeyJWT)
        }
        if method == .privateKeyJWT { return try assertion(privateKey(stage: stage), .privateKeyJWT) }
        if let signedSecret {
            let key = try SigningKey(
                forAssertionsWith: privateKey(stage: stage), algorithm: signingAlgorithm, accepted: nil, stage: stage)
            let secret = try signedSecret.signed(with: key, clientID: clientID, now: now)
            return try .secret(secret, clientID: clientID, method: method ?? .clientSecretPost)
        }
        guard let secret = try secret(stage: stage), method != ClientAuthenticationMethod.none else {
            return .none(clientID: clientID)
        }
        if Self.isPrivateKey(secret) {
            guard method == nil else { throw Self.keyForSecret(stage) }
            return try assertion(privateKey(stage: stage), .privateKeyJWT)
        }
        let method = method ?? ClientAuthentication.preferredMethod(of: accepted.methods)
        guard method == .clientSecretJWT else {
            return try .secret(
                secret, clientID: clientID, method: method,
                isFormEncoded: !provider.tolerances.contains(.unencodedBasic),
                isNamed: provider.tolerances.contains(.clientIDBesideBasic))
        }
        return try assertion(JSONWebKey(secret: secret.utf8), method)
    }

    /// Checks that the secret, the private key or the assertion can be read, so that a program learns at its start that one is missing.
    ///
    /// Nothing is kept: each request reads the source anew. A function of the program is not asked.
    ///
    /// - Throws: `AuthStateError` with `.credentialUnavailable`, which names the variable or file.
    public func checkAvailable() throws {
        if method?.usesCertificate == true { return }
        if case .function = source { return }
        if isAssertion {
            _ = try issuedAssertion(stage: .usage)
            return
        }
        guard method != .privateKeyJWT, signedSecret == nil else {
            _ = try privateKey(stage: .usage)
            return
        }
        if let secret = try secret(stage: .usage), Self.isPrivateKey(secret) {
            guard method == nil else { throw Self.keyForSecret(.usage) }
            _ = try privateKey(stage: .usage)
        }
    }

    /// Returns whether the text given as a secret is a key, PEM or a JWK, which must not be sent anywhere; of a file's
    /// several lines the text is the first one.
    static func isPrivateKey(_ secret: String) -> Bool {
        let text = secret.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        return text.contains("-----BEGIN ") || text.hasPrefix("{") && (text.count == 1 || text.contains("\"kty\""))
    }

    private static func keyForSecret(_ stage: AuthStateError.Stage) -> AuthStateError {
        AuthStateError(
            .credentialUnavailable, stage: stage,
            "What is given for the client's secret is a private key, which is never sent.",
            hint: "Use it with private_key_jwt, or give the secret.")
    }

    /// Returns the secret; nil for a public client, and for one with a private key, an assertion or a certificate.
    func secret(stage: AuthStateError.Stage) throws -> String? {
        guard method != .privateKeyJWT, !isAssertion, signedSecret == nil else { return nil }
        if case .issued(let secret) = source {
            try checkNamed(stage: stage)
            return secret
        }
        guard let text = try content("the client's secret", stage: stage) else { return nil }
        switch source {
        case .value: return text.withoutLineBreakAtEnd
        case .file(let path):
            guard let secret = text.split(whereSeparator: \.isNewline).first else {
                throw AuthStateError(
                    .credentialUnavailable, stage: stage,
                    "The file \(path), which holds the client's secret, is empty.",
                    hint: "Put the secret into its first line.")
            }
            return String(secret)
        default: return text
        }
    }

    /// Returns what the program's source holds, read anew; nil where it names none.
    ///
    /// - Parameter mayBeRead: Whether other users may read the file.
    /// - Throws: `AuthStateError` with `.credentialUnavailable`; `.unsupported` for a function that was not asked.
    func content(_ thing: String, stage: AuthStateError.Stage, mayBeRead: Bool = false) throws -> String? {
        try checkNamed(stage: stage)
        switch source {
        case .none, .issued: return nil
        case .function:
            throw AuthStateError(
                .unsupported, stage: stage, "This use of a credential cannot ask a function of the program.",
                expected: "a file, an environment variable, or the secret or key itself")
        case .value(let text):
            guard text.isEmpty else { return text }
            throw AuthStateError(
                .credentialUnavailable, stage: stage,
                "The client's secret or key was in the memory of another process.",
                hint: "Give the credential when the state is restored, or to the client of the login that is completed."
            )
        case .environment(let name): return try SecretSource.variable(name, holding: thing, stage: stage)
        case .file(let path):
            return try SecretSource.content(ofFile: path, holding: thing, mayBeRead: mayBeRead, stage: stage)
        }
    }
}
