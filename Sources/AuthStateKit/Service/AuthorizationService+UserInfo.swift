import AuthStateFoundation
import AuthStateJOSE
public import AuthStateOAuth
import AuthStateSystem

extension AuthorizationService {
    /// Reads claims about the user (OpenID Connect Core, section 5.3); signed ones are verified with the provider's keys.
    ///
    /// - Parameters:
    ///   - tokens: The access token, and the ID token whose `sub` must be the same.
    ///   - client: The client that signed claims must be for; its secret verifies those that are signed with it
    ///     (`ProviderConfiguration.userInfoAlgorithms`).
    ///   - options: Where the token travels, and whether the claims have to be signed.
    /// - Throws: `TokenRejected` when the endpoint refuses the token, or wants to see another DPoP nonce (401), else
    ///   `AuthStateError` of stage userinfo.
    public func userInfo(
        _ tokens: Tokens, of client: Client, options: UserInfoOptions = UserInfoOptions()
    ) async throws -> UserInfo {
        try await traced {
            let info = try await read(tokens, of: client, options: options)
            configuration.trace?.noteUserInfo(info)
            return info
        }
    }

    private func read(_ tokens: Tokens, of client: Client, options: UserInfoOptions) async throws -> UserInfo {
        let provider = client.provider
        let endpoint = try provider.userInfoEndpoint.required(
            at: .userinfo, "The provider has no userinfo endpoint.")
        try check(endpoint, of: provider, stage: .userinfo)
        let response = try await send(
            tokens.userInfoRequest(to: endpoint, options), addresses: provider.addressPolicy, stage: .userinfo)
        tokens.recordNonce(from: response.headers, of: endpoint)
        let answer = try response.read { try userInfoAnswer($0, tokens, endpoint, provider) }
        do {
            return try await userInfo(answer, tokens, of: client, options: options)
        } catch {
            throw response.hiding(error)
        }
    }

    private func userInfoAnswer(
        _ response: TransportResponse, _ tokens: Tokens, _ endpoint: URL, _ provider: ProviderConfiguration
    ) throws -> UserInfoAnswer {
        switch ResourceVerdict(response, now: configuration.clock.now) {
        case .nonceWanted where tokens.isDPoPBound: throw TokenRejected(response, of: endpoint)
        case .tokenRejected: throw TokenRejected(response, of: endpoint)
        case .refused(let error): throw error.at(.userinfo)
        case .answered, .nonceWanted: break
        }
        // Some providers refuse with status 200: claims about a user have a sub.
        let isRefusal = OAuthErrorResponse(response.json) != nil && response.json?["sub"] == nil
        guard response.isSuccess(200), !isRefusal else {
            throw Self.refusal(response, of: endpoint, tolerating: provider.tolerances)
        }
        return try UserInfoAnswer(response)
    }

    private func userInfo(
        _ answer: UserInfoAnswer, _ tokens: Tokens, of client: Client, options: UserInfoOptions
    ) async throws -> UserInfo {
        let subject = try tokens.idToken.map { try IDToken(parsing: $0, stage: .userinfo).subject ?? "" }
        switch answer {
        case .plain(let claims):
            guard TrustCheck.userInfoIsSigned.holds(!options.requiresSignature) else {
                throw AuthStateError(
                    .invalidUserInfo, stage: .userinfo, "The userinfo is not signed.", expected: "a signed JWT",
                    received: "claims without a signature",
                    hint: "Register the client with userinfo_signed_response_alg, or do not require signatures.")
            }
            return try UserInfo(claims, subject: subject, isSigned: false)
        case .signed(let token):
            let claims = try await verified(token, of: client)
            return try UserInfo(claims, subject: subject, isSigned: true)
        }
    }

    /// Returns the error of a refusal. A reason in the body counts where the headers give none: Facebook reports an
    /// expired token this way, with status 400.
    private static func refusal(
        _ response: TransportResponse, of endpoint: URL, tolerating tolerances: Set<Tolerance>
    ) -> any Error {
        let json = response.json
        guard (200...499).contains(response.status), ![408, 429].contains(response.status),
            let error = OAuthErrorResponse(json, tolerating: tolerances)
        else { return AuthStateError.endpoint("userinfo endpoint", response, stage: .userinfo) }
        if error.code == .invalidGrant || error.code == .tokenRejected { return TokenRejected(response, of: endpoint) }
        return AuthStateError(
            error.code, stage: .userinfo, "The userinfo endpoint refused: \(error.summary).",
            hint: error.hint(at: .userinfo),
            response: error, httpStatus: response.status)
    }

    /// Returns the claims of signed userinfo; an unknown key has the keys fetched once more.
    private func verified(_ token: SignedUserInfo, of client: Client) async throws -> [String: JSONValue] {
        let provider = client.provider
        let algorithms = provider.acceptedUserInfoAlgorithms
        let sharesSecret = token.isSymmetric && algorithms.needSharedSecret
        guard let issuer = provider.issuer, provider.jwksURI != nil || sharesSecret else {
            throw AuthStateError(
                .invalidMetadata, stage: .userinfo, "The signed userinfo cannot be verified.",
                expected: "an issuer and a jwks_uri in the provider configuration")
        }
        var expectation = IDTokenExpectation(issuer: issuer, clientID: client.id, now: configuration.clock.now)
        expectation.policy = provider.idTokenPolicy
        expectation.policy.algorithms = algorithms
        do {
            if sharesSecret {
                expectation.clientSecret = try client.credential.secret(stage: .userinfo)
                expectation.toleratesShortSecret = provider.tolerances.contains(.shortSecret)
                return try token.claims(keys: JSONWebKeySet(keys: []), expectation: expectation)
            }
            return try await withKeys(of: provider, stage: .userinfo) { keys in
                try token.claims(keys: keys, expectation: expectation)
            }
        } catch let error as JOSEError {
            throw AuthStateError(refusedSignature: error, of: "userinfo", stage: .userinfo)
        }
    }
}

extension Tokens {
    /// Returns the request for claims, with the access token where the options place it.
    fileprivate func userInfoRequest(to endpoint: URL, _ options: UserInfoOptions) throws -> TransportRequest {
        var request = TransportRequest(url: endpoint)
        switch options.tokenPlacement {
        case .header: request.headers = try authorizationHeaders(method: .get, url: endpoint)
        case .body:
            guard !isDPoPBound else {
                throw AuthStateError(
                    .unsupported, stage: .userinfo, "A token that is bound to a key travels in the header only.",
                    expected: "the placement header", received: "the placement body",
                    hint: "Leave the placement out (RFC 9449, section 7.1).")
            }
            try storage.policy.check(endpoint)
            request.method = .post
            request.headers["Content-Type"] = "application/x-www-form-urlencoded"
            request.body = Data((["access_token": accessToken] as Parameters).encoded.utf8)
        }
        request.headers["Accept"] = options.requiresSignature ? "application/jwt" : "application/json, application/jwt"
        return request
    }
}
