import AuthStateFoundation
public import AuthStateOAuth
import AuthStateSystem

extension AuthorizationService {
    /// Begins a login in two steps: send the browser to `url`, keep the rest until it comes back. Pushes the request to the
    /// provider when that is asked for (RFC 9126).
    ///
    /// The callback is accepted for ten minutes, as without a push. The reference to a pushed request expires sooner
    /// and only has to last until the browser has arrived, see `PendingAuthorization.urlExpiresAt`.
    ///
    /// The client's credential pushes; it signs the request too when the provider requires that and
    /// `AuthorizationRequest.signingCredential` is nil.
    ///
    /// - Throws: `AuthStateError` of stage authorization, or `CancellationError`.
    public func begin(_ request: AuthorizationRequest) async throws -> PendingAuthorization {
        try await traced {
            if let endpoint = request.client.provider.authorizationEndpoint {
                try check(endpoint, of: request.client.provider, stage: .authorization)
            }
            if request.mustBePushed {
                let response = try await push(request)
                return pending(request, url: try request.url(pushedAs: response), urlExpiresAt: response.expirationDate)
            }
            guard request.mustBeSigned, request.requestURI == nil else {
                return pending(request, url: try request.url())
            }
            let end = configuration.clock.now.addingTimeInterval(Double(RequestObject.usualLifetime))
            let url = try request.url(signedAs: try requestObject(for: request))
            return pending(request, url: url, urlExpiresAt: end)
        }
    }

    /// Pushes a request to the provider (RFC 9126, section 2), whatever its `isPushed` says, signed if it has to be.
    ///
    /// - Throws: `AuthStateError` of stage authorization, `.endpointMissing` when the provider has no such endpoint;
    ///   `CancellationError`.
    package func push(_ request: AuthorizationRequest) async throws -> PushedAuthorizationResponse {
        var pushed = PushedAuthorizationRequest(request)
        pushed.request.client = request.client.atItsEndpoints
        let endpoint = try pushed.endpoint
        try check(endpoint, of: request.client.provider, stage: .authorization)
        if request.mustBeSigned { pushed.requestObject = try requestObject(for: request) }
        var sentAt = configuration.clock.now
        let key = request.client.provider.tolerances.contains(.unprovenPush) ? nil : request.dpopKey
        let response = try await withDPoPProof(key, to: endpoint, stage: .authorization) { proof in
            let authentication = try await authentication(of: request.client, endpoint: endpoint, stage: .authorization)
            return try pushed.transportRequest(authentication: authentication, dpopProof: proof)
        } send: { message in
            sentAt = configuration.clock.now
            return try await send(message, addresses: request.client.provider.addressPolicy, stage: .authorization)
        }
        return try response.read { try PushedAuthorizationResponse($0, sentAt: sentAt) }
    }

    /// Signs a request (RFC 9101), to publish it under the URL that will be its `requestURI`.
    ///
    /// A request that is sent by value or pushed is signed on the way: this is not needed for it.
    ///
    /// The request's `signingCredential` signs, or the client's own credential where there is none.
    ///
    /// - Returns: The compact form of the object, which expires after five minutes.
    /// - Throws: `AuthStateError` of stage authorization: `.credentialUnavailable` when there is no key or secret,
    ///   `.unsupported` when the provider accepts no algorithm that the client can sign with.
    public func requestObject(for request: AuthorizationRequest) throws -> String {
        let key = try (request.signingCredential ?? request.client.credential).requestSigningKey(
            provider: request.client.provider)
        do {
            return try RequestObject(request, issuedAt: configuration.clock.now).signed(with: key)
        } catch let error as AuthStateError {
            throw error
        } catch {
            throw AuthStateError(
                .credentialUnavailable, stage: .authorization, "The request cannot be signed.", underlying: error)
        }
    }

    private func pending(_ request: AuthorizationRequest, url: URL, urlExpiresAt: Date? = nil) -> PendingAuthorization {
        configuration.trace?.noteRequest(request)
        return PendingAuthorization(
            request: request, url: url, expiresAt: configuration.clock.now.addingTimeInterval(600),
            urlExpiresAt: urlExpiresAt)
    }
}
