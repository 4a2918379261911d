public import AuthStateKit
import AuthStateServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension OpenIDSessions {
    /// The provider's configuration.
    public func provider() async throws -> ProviderConfiguration {
        var provider = try await pool.service.discoverConfiguration(issuer: configuration.issuer)
        provider.tolerances.formUnion(configuration.tolerances)
        return provider
    }

    /// Begins a login without a browser's help, and so finds at the start what the first sign-in would meet: a provider that
    /// does not answer, a client's secret that is missing.
    ///
    /// - Throws: `AuthStateError`.
    public func check() async throws {
        try configuration.credential.checkAvailable()
        _ = try await begin()
    }

    /// Begins a login.
    func begin() async throws -> PendingAuthorization { try await pool.service.begin(try await request()) }

    /// The login that a browser returns from, rebuilt from its cookie.
    func resume(_ login: PendingLogin) async throws -> PendingAuthorization {
        var request = try await request()
        (request.state, request.nonce, request.codeVerifier) = (login.state, login.nonce, login.verifier)
        // It was pushed when the login began, if at all.
        request.isPushed = false
        return try await pool.service.begin(request)
    }

    /// The request of a login.
    ///
    /// The answer comes in the query of a GET: a form would be posted from another site, and so without this server's
    /// cookies.
    private func request() async throws -> AuthorizationRequest {
        let provider = try await provider()
        var request = AuthorizationRequest(
            Client(provider, id: configuration.clientID, credential: configuration.credential),
            scopes: configuration.scopes, redirectURI: try RedirectURI(configuration.callbackURL))
        // So that a greeting needs no request; providers without this parameter give the name at their userinfo
        // endpoint.
        if provider.metadata?.claimsParameterSupported == true {
            request.claims = ClaimsRequest(idToken: ["name": .voluntary]).json
        }
        return request
    }
}
