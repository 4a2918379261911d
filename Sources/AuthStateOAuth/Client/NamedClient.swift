import AuthStateFoundation

/// A client as the program itself names it: at a provider whose endpoints are found out when a request needs them, and never to
/// restore.
///
/// ```swift
/// let client = NamedClient(.issuer("https://op.example"), id: "cli", credential: .environment("CLIENT_SECRET"))
/// let authState = try await AuthState.restoreOrLogIn(.browser(client), at: .folder("~/.local/state/tool"))
/// ```
public struct NamedClient: Sendable, Hashable {
    /// The provider.
    public var provider: NamedProvider
    /// The identifier that the provider knows the client by (`client_id`).
    public var id: String
    /// Where the client's secret or private key is, sent to this provider alone; `.none` for a public client.
    public var credential: ClientCredential

    /// Names a client.
    ///
    /// - Parameters:
    ///   - provider: The provider: its issuer, a known one, or its endpoints.
    ///   - id: The identifier that the provider knows the client by (`client_id`).
    ///   - credential: The reference to the client's secret or private key; `.none` for a public client.
    public init(_ provider: NamedProvider, id: String, credential: ClientCredential = .none) {
        self.provider = provider
        self.id = id
        self.credential = credential
    }
}

extension NamedClient {
    /// The credential, bound to the provider.
    package var boundCredential: ClientCredential {
        credential.custody == .request ? credential.sent(onlyTo: provider) : credential
    }

    /// Returns the client at a provider with this metadata.
    package func client(at configuration: ProviderConfiguration) -> Client {
        Client(configuration, id: id, credential: boundCredential)
    }

    /// Returns a new request for a login at a provider with this metadata.
    ///
    /// - Parameter scopes: The scopes to ask for; nil asks for those of a known provider, else for `openid profile email`.
    package func request(
        at configuration: ProviderConfiguration, scopes: [Scope]?, redirectURI: RedirectURI?
    ) -> AuthorizationRequest {
        let client = client(at: configuration)
        if case .known(let provider) = provider {
            return provider.request(client, scopes: scopes, redirectURI: redirectURI)
        }
        return AuthorizationRequest(client, scopes: scopes ?? [.openID, .profile, .email], redirectURI: redirectURI)
    }

    /// Checks that a begun or stored login is one of this client: its credential goes to no other provider.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument`.
    package func check(_ client: Client) throws {
        guard client.id.isExactly(id) else { throw AuthStateError.another("client", client.id, expected: id) }
        let (issuer, host) = try provider.place()
        let theirs = client.provider
        if let issuer, let theirIssuer = theirs.issuer?.rawValue {
            guard issuer.isExactly(theirIssuer) else {
                throw AuthStateError.another("provider", theirIssuer, expected: issuer)
            }
        } else if let host, let theirHost = NamedProvider.host(theirs) {
            guard host.isExactly(theirHost) else {
                throw AuthStateError.another("provider", theirHost, expected: host)
            }
        }
    }
}

extension NamedProvider {
    /// Returns the issuer, where all users share one, and the host of the token endpoint, where it is known beforehand.
    fileprivate func place() throws -> (issuer: String?, host: String?) {
        switch self {
        case .issuer(let issuer): return (issuer, nil)
        case .configuration(let configuration): return (configuration.issuer?.rawValue, Self.host(configuration))
        case .known(let provider):
            let configuration = try provider.configurationByHand()
            // The tokens of a template's tenants, and their configuration, name the tenant.
            let issuer = provider.tolerances.contains(.tenantIssuer) ? nil : provider.issuer
            return (issuer ?? configuration?.issuer?.rawValue, configuration.flatMap(Self.host))
        }
    }

    fileprivate static func host(_ configuration: ProviderConfiguration) -> String? {
        URIReference(configuration.tokenEndpoint.absoluteString).host.map(String.init)
    }
}

extension AuthStateError {
    fileprivate static func another(_ what: String, _ received: String, expected: String) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .store, "The login is one of another \(what) than the program's.",
            expected: expected, received: received, hint: "Give each client and provider a key of its own.")
    }
}
