import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

extension AuthorizationService {
    enum SignatureVerdict: Sendable {
        /// The signature is valid, or need not be checked.
        case good(IDTokenTrust)
        /// The provider's keys are unavailable, or were fetched too often.
        case undecided(AuthStateError)
    }

    /// Checks an ID token's signature and claims. Throws `AuthStateError`: `.invalidSignature` or `.invalidIDToken`
    /// when a check fails, or the reason why the keys are unavailable.
    func validate(
        _ compact: String, expectation: IDTokenExpectation, provider: ProviderConfiguration,
        stage: AuthStateError.Stage
    ) async throws -> (IDToken, IDTokenTrust) {
        let token = try reading { try IDToken(parsing: compact, stage: stage) }
        switch try await verdict(on: token, expectation: expectation, provider: provider, stage: stage) {
        case .undecided(let error): throw error
        case .good(let trust):
            do { try reading { try token.validateClaims(expectation: expectation, stage: stage) } } catch {
                configuration.trace?.noteRefusedIDToken(token.checkedClaims(expectation), trust)
                throw error
            }
            configuration.trace?.noteIDToken(token, trust)
            return (token, trust)
        }
    }

    /// Checks an ID token's signature; an unknown key, or a bad signature under a known one, has the keys fetched again.
    ///
    /// - Throws: `AuthStateError` with `.invalidSignature`; `CancellationError`.
    func verdict(
        on token: IDToken, expectation: IDTokenExpectation, provider: ProviderConfiguration,
        stage: AuthStateError.Stage
    ) async throws -> SignatureVerdict {
        do {
            guard token.needsPublishedKeys(expectation), provider.jwksURI != nil || !expectation.policy.trustsTLS else {
                return .good(try token.verifySignature(keys: nil, expectation: expectation))
            }
            return .good(
                try await withKeys(of: provider, stage: stage) { keys in
                    try token.verifySignature(keys: keys, expectation: expectation)
                })
        } catch let error as JOSEError {
            throw AuthStateError(refusedSignature: error, stage: stage)
        } catch let error as AuthStateError {
            return .undecided(error)
        }
    }

    /// Verifies something with a provider's published keys; once more with newer keys in case it has rotated them.
    /// Throws the errors of `keys` and of the body.
    package func withKeys<R>(
        of provider: ProviderConfiguration, stage: AuthStateError.Stage, _ verify: (JSONWebKeySet) throws -> R
    ) async throws -> R {
        let known = try await keys(of: provider, stage: stage)
        do { return try verify(known) } catch let error as JOSEError where error.mayBeKeyRotation {
            return try verify(await keys(of: provider, insteadOf: known, stage: stage))
        }
    }

    /// Returns the keys that a provider publishes, from the cache until they expire.
    func keys(
        of provider: ProviderConfiguration, insteadOf stale: JSONWebKeySet? = nil, stage: AuthStateError.Stage
    ) async throws -> JSONWebKeySet {
        guard let url = provider.jwksURI else {
            throw AuthStateError(
                .invalidMetadata, stage: stage, "The ID token cannot be verified: the provider names no keys.",
                expected: "jwks_uri", hint: "Give jwksURI, or trust TLS alone in the ID token policy.")
        }
        try check(url, of: provider, stage: stage)
        let clock = configuration.clock
        return try await keys.keys(
            of: KeyCache.Source(issuer: provider.issuer, url: url), insteadOf: stale, now: clock.secondsSince1970,
            stage: stage
        ) {
            let response = try await send(
                TransportRequest(url: url, headers: ["Accept": "application/jwk-set+json, application/json"]),
                addresses: provider.addressPolicy, stage: stage)
            return try response.read { response in
                guard response.isSuccess(200) else {
                    throw AuthStateError.endpoint("key set", response, stage: stage)
                }
                do {
                    let keys = try JSONWebKeySet(parsing: [UInt8](response.body))
                    return KeyCache.Answer(keys: keys, lifetime: response.headers.freshnessLifetime)
                } catch {
                    throw AuthStateError(
                        .invalidMetadata, stage: stage, "The provider's keys cannot be read.", underlying: error)
                }
            }
        }
    }

    /// Returns the expectation for this client's ID tokens, to which the flow adds its own requirements.
    func expectation(of client: Client, issuer: Issuer, stage: AuthStateError.Stage) throws -> IDTokenExpectation {
        var expectation = IDTokenExpectation(issuer: issuer, clientID: client.id, now: configuration.clock.now)
        expectation.policy = client.provider.idTokenPolicy
        expectation.tenantIssuer = client.provider.tenantIssuer
        if expectation.policy.algorithms.needSharedSecret {
            expectation.clientSecret = try client.credential.secret(stage: stage)
            expectation.toleratesShortSecret = client.provider.tolerances.contains(.shortSecret)
        }
        return expectation
    }
}

extension JOSEError {
    /// Whether newer keys of the provider could lead to another result.
    fileprivate var mayBeKeyRotation: Bool { code == .noMatchingKey || code == .badSignature }
}

extension IDToken {
    /// Reads a compact token. Throws `AuthStateError` with `.invalidIDToken`, or `.unsupported` when it is encrypted.
    init(parsing compact: String, stage: AuthStateError.Stage) throws {
        do { try self.init(parsing: compact) } catch let error as JOSEError {
            // RFC 7516, section 3.1: header, encrypted key, initialization vector, ciphertext and tag.
            guard compact.utf8.count(where: { $0 == UInt8(ascii: ".") }) != 4 else {
                throw AuthStateError(
                    .unsupported, stage: stage, "The ID token is encrypted, which is not supported.",
                    expected: "a signed JWT", hint: "Register the client without id_token_encrypted_response_alg.")
            }
            throw AuthStateError(
                .invalidIDToken, stage: stage, "The ID token is not a signed JWT: \(error.message).",
                expected: error.expected, received: error.received)
        }
    }
}
