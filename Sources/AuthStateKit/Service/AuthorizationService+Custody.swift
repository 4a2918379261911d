import AuthStateFoundation
package import AuthStateOAuth
import AuthStateSystem

extension AuthorizationService {
    /// Returns the client's proof for one request, after checking that the endpoint may receive it.
    ///
    /// Every request to an endpoint at which clients authenticate gets its proof here.
    ///
    /// - Throws: `AuthStateError` with `.credentialWithheld`, or as `ClientCredential.authentication` does; of stage discovery
    ///   when the endpoints of the provider that the program named cannot be found. `CancellationError`.
    func authentication(
        of client: Client, endpoint: URL, stage: AuthStateError.Stage
    ) async throws -> ClientAuthentication {
        let credential = try await usable(client.credential, of: client, at: endpoint, stage: stage)
        return try credential.authentication(
            clientID: client.id, provider: client.provider, endpoint: endpoint, now: configuration.clock.now,
            stage: stage)
    }

    /// Returns a credential that an endpoint may receive; what a function of the program fetches is fetched.
    ///
    /// - Parameter request: The token request whose grant the credential is; nil where it authenticates the client.
    func usable(
        _ credential: ClientCredential, of client: Client, at endpoint: URL, in request: TokenRequest? = nil,
        stage: AuthStateError.Stage
    ) async throws -> ClientCredential {
        try await check(credential, at: endpoint, stage: stage)
        return try await credential.fetched(
            for: CredentialRequest(
                audience: client.provider.assertionAudience(at: endpoint), clientID: client.id,
                resources: request?.resources ?? [], scopes: request?.scopes ?? []), stage: stage)
    }

    /// Refuses an endpoint that the credential's custody does not cover.
    func check(_ credential: ClientCredential, at endpoint: URL, stage: AuthStateError.Stage) async throws {
        let origin = URIReference(endpoint.absoluteString).origin
        switch credential.custody {
        case .request, .unnamed: return
        case .none: try credential.check(origin: origin, among: [], stage: stage)
        case .provider(let provider):
            if let issuer = provider.issuer, URIReference(issuer).origin == origin { return }
            try credential.check(
                origin: origin, among: try await configuration(of: provider).credentialOrigins, stage: stage)
        }
    }

    /// Returns a client with the endpoints of its provider; the discovery document is cached. Throws `AuthStateError`
    /// of stage discovery, or `CancellationError`.
    package func client(_ named: NamedClient) async throws -> Client {
        named.client(at: try await configuration(of: named.provider))
    }

    /// Returns the configuration of a known provider: discovered, or from the table when it publishes no metadata.
    ///
    /// - Throws: `AuthStateError` of stage discovery, or `CancellationError`.
    public func configuration(of provider: KnownProvider) async throws -> ProviderConfiguration {
        if let configuration = try provider.configurationByHand() { return configuration }
        return try await discoverConfiguration(issuer: provider.issuer ?? "", tolerances: provider.tolerances)
    }

    /// Returns the endpoints of a provider that the program named; the discovery document is cached. Throws
    /// `AuthStateError` of stage discovery, or `CancellationError`.
    package func configuration(of provider: NamedProvider) async throws -> ProviderConfiguration {
        switch provider {
        case .issuer(let issuer): try await discoverConfiguration(issuer: issuer)
        case .configuration(let configuration): configuration
        case .known(let provider): try await configuration(of: provider)
        }
    }
}

extension NamedProvider {
    /// The issuer that a discovery document is read for.
    fileprivate var issuer: String? {
        switch self {
        case .issuer(let issuer): issuer
        case .configuration: nil
        case .known(let provider): provider.issuer
        }
    }
}
