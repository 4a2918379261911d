import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The provider, and this server as its client.
struct Provider: Sendable {
    let issuer: String
    let clientID: String
    let credential: ClientCredential
    let scopes: [Scope]
    let baseURL: BaseURL
    let service: AuthorizationService

    /// Where the provider's answers arrive; to be registered with it.
    static let callbackPath = "/callback"
    /// Where the browser lands after a logout at the provider; to be registered with it.
    static let logoutPath = "/logout"

    /// The provider's configuration.
    func configuration() async throws -> ProviderConfiguration {
        try await service.discoverConfiguration(issuer: issuer)
    }

    /// Begins a login.
    func begin() async throws -> PendingAuthorization { try await service.begin(try await request()) }

    /// The login that a browser returns from, rebuilt from its cookie.
    func resume(_ login: PendingLogin) async throws -> PendingAuthorization {
        var request = try await request()
        (request.state, request.nonce, request.codeVerifier) = (login.state, login.nonce, login.verifier)
        // It was pushed when the login began, if at all.
        request.isPushed = false
        return try await service.begin(request)
    }

    /// The request of a login.
    ///
    /// The answer comes in the query of a GET: a form would be posted from another site, and so without this server's
    /// cookies.
    private func request() async throws -> AuthorizationRequest {
        let configuration = try await configuration()
        var request = AuthorizationRequest(
            Client(configuration, id: clientID, credential: credential), scopes: scopes,
            redirectURI: try RedirectURI(baseURL(Self.callbackPath)))
        // So that a greeting needs no request; providers without this parameter give the name at their userinfo
        // endpoint.
        if configuration.metadata?.claimsParameterSupported == true {
            request.claims = ClaimsRequest(idToken: ["name": .voluntary]).json
        }
        return request
    }
}
