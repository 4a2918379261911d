import AuthStateFoundation

/// A client and its provider, by name. The endpoints are discovered when a login needs them; restoring a login sends no request.
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
    public init(_ provider: NamedProvider, id: String, credential: ClientCredential = .none) {
        self.provider = provider
        self.id = id
        self.credential = credential
    }

    /// The credential, bound to the provider.
    package var boundCredential: ClientCredential {
        credential.custody == .request ? credential.restricted(to: provider) : credential
    }

    /// The credential, bound to the provider; nil for a public client.
    package var ownCredential: ClientCredential? { credential == .none ? nil : boundCredential }

    /// Returns the client at a provider with this metadata.
    package func client(at configuration: ProviderConfiguration) -> Client {
        Client(configuration, id: id, credential: boundCredential)
    }

    /// Checks that a begun or stored login is one of this client: its credential goes to no other provider. Throws
    /// `AuthStateError` with `.invalidArgument`.
    package func check(_ client: Client) throws {
        guard client.id.isExactly(id) else { throw AuthStateError.another("client", client.id, expected: id) }
        let names = try provider.names(beside: client.provider)
        guard names.own.isExactly(names.theirs) else {
            throw AuthStateError.another("provider", names.theirs, expected: names.own)
        }
    }
}

extension NamedProvider {
    /// Returns comparable names of both providers: the issuers; without issuers the token endpoints; for a provider with one issuer
    /// for each tenant, the hosts.
    fileprivate func names(beside theirs: ProviderConfiguration) throws -> (own: String, theirs: String) {
        let (issuer, configuration): (String?, ProviderConfiguration?) =
            switch self {
            case .issuer(let issuer): (issuer, nil)
            case .configuration(let configuration): (configuration.issuer?.rawValue, configuration)
            case .known(let provider): (provider.issuer, try provider.configurationByHand())
            }
        if case .known(let provider) = self, provider.tolerances.contains(.tenantIssuer), let issuer {
            return (host(issuer), host(theirs.tokenEndpoint.absoluteString))
        }
        if let issuer = issuer ?? configuration?.issuer?.rawValue, let other = theirs.issuer?.rawValue {
            return (issuer, other)
        }
        let endpoint = theirs.tokenEndpoint.absoluteString
        return (configuration?.tokenEndpoint.absoluteString ?? issuer ?? "", endpoint)
    }

    private func host(_ text: String) -> String { URIReference(text).host.map(String.init) ?? text }
}

extension AuthStateError {
    fileprivate static func another(_ what: String, _ received: String, expected: String) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .store, "The login belongs to another \(what).",
            expected: expected, received: received, hint: "Give each client and provider a key of its own.")
    }
}
