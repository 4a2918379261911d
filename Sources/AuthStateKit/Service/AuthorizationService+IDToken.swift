import AuthStateJOSE
import AuthStateOAuth

extension AuthorizationService {
    /// Checks an ID token against the provider's keys; unknown keys are fetched once more.
    ///
    /// - Throws: `AuthStateError`: `.invalidSignature` or `.invalidIDToken` when a check failed, a transient one when the
    ///   keys cannot be had.
    func validate(
        _ compact: String, expectation: IDTokenExpectation, service: ServiceConfiguration,
        stage: AuthStateError.Stage
    ) async throws {
        let token = try IDToken(parsing: compact, stage: stage)
        let known = try await keys(of: service, stage: stage)
        do {
            try token.validate(keys: known, expectation: expectation, stage: stage)
        } catch let error as AuthStateError where error.code == .invalidSignature {
            // The provider may have rotated its keys since they were fetched.
            let newer = try await keys(of: service, insteadOf: known, stage: stage)
            guard newer != known else { throw error }
            try token.validate(keys: newer, expectation: expectation, stage: stage)
        }
    }

    /// The provider's keys, from the cache while they are young.
    func keys(
        of service: ServiceConfiguration, insteadOf stale: JSONWebKeySet? = nil, stage: AuthStateError.Stage
    ) async throws -> JSONWebKeySet {
        guard let url = service.jwksURI else {
            throw AuthStateError(
                .invalidMetadata, stage: stage, "The ID token cannot be verified: the provider names no keys.",
                expected: "jwks_uri")
        }
        try check(url, issuer: service.issuer, stage: stage)
        return try await keys.keys(at: url, insteadOf: stale, now: configuration.clock.secondsSince1970) {
            let response = try await send(
                TransportRequest(url: url, headers: ["Accept": "application/jwk-set+json, application/json"]),
                stage: stage)
            guard response.status == 200 else { throw AuthStateError.endpoint("key set", response, stage: stage) }
            do { return try JSONWebKeySet(parsing: [UInt8](response.body)) } catch {
                throw AuthStateError(
                    .invalidMetadata, stage: stage, "The provider's keys cannot be read.", underlying: error)
            }
        }
    }

    /// What an ID token of this client has to fit, before the flow adds its own.
    func expectation(issuer: Issuer, clientID: String) -> IDTokenExpectation {
        var expectation = IDTokenExpectation(issuer: issuer, clientID: clientID, now: configuration.clock.now)
        expectation.leeway = configuration.idTokenLeeway
        expectation.maximumAgeAtIssue = configuration.idTokenMaximumAge
        return expectation
    }
}

extension IDToken {
    init(parsing compact: String, stage: AuthStateError.Stage) throws {
        do { try self.init(parsing: compact) } catch let error as JOSEError {
            throw AuthStateError(
                .invalidIDToken, stage: stage, "The ID token is not a signed JWT: \(error.message).",
                expected: error.expected, received: error.received)
        }
    }
}
