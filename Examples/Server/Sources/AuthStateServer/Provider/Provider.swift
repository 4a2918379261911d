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

    /// Begins a login.
    ///
    /// The answer comes in the query of a GET: a form would be posted from another site, and so without our cookies.
    func begin() async throws -> PendingAuthorization {
        let configuration = try await service.discoverConfiguration(issuer: issuer)
        var request = AuthorizationRequest(
            configuration: configuration, clientID: clientID, scopes: scopes,
            redirectURI: try RedirectURI(baseURL(Self.callbackPath)))
        // So that a greeting needs no request; providers that cannot do it tell the name at their userinfo endpoint.
        if configuration.metadata?.claimsParameterSupported == true {
            request.claims = ClaimsRequest(idToken: ["name": .voluntary]).json
        }
        return try service.begin(request)
    }

    /// Asks the provider to forget what it granted; returns false when it has no way to ask.
    func revoke(_ record: AuthState.Record) async throws -> Bool {
        guard record.configuration.revocationEndpoint != nil,
            let token = record.refreshToken ?? record.accessToken
        else { return false }
        try await service.revoke(
            RevocationRequest(
                configuration: record.configuration, clientID: clientID, token: token,
                tokenTypeHint: record.refreshToken == nil ? .accessToken : .refreshToken),
            credential: credential)
        return true
    }

    /// Where a browser ends its session at the provider; nil when it has no such page.
    func endSessionURL(_ record: AuthState.Record) throws -> String? {
        guard record.configuration.endSessionEndpoint != nil else { return nil }
        let request = EndSessionRequest(
            configuration: record.configuration, idTokenHint: record.idToken, clientID: clientID,
            postLogoutRedirectURI: try RedirectURI(baseURL(Self.logoutPath)))
        return try request.url().absoluteString
    }
}
