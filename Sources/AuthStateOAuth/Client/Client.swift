import AuthStateFoundation
public import AuthStateJOSE

/// A client at one provider (RFC 6749, section 2): who the program is there, and how it proves it.
///
/// ```swift
/// let client = Client(try await service.discoverConfiguration(issuer: "https://op.example"), id: "cli",
///     credential: .environment("CLIENT_SECRET"))
/// ```
public struct Client: Sendable, Hashable, Redacted {
    /// The provider.
    public var provider: ProviderConfiguration
    /// The identifier that the provider knows the client by (`client_id`).
    public var id: String
    /// Where the client's secret or private key is; `.none` for a public client.
    public var credential: ClientCredential

    /// Makes a client.
    public init(_ provider: ProviderConfiguration, id: String, credential: ClientCredential = .none) {
        self.provider = provider
        self.id = id
        self.credential = credential
    }

    /// The client of a request that was archived without one; no request of it reaches a provider (RFC 2606, section 2).
    package static let unknown = Client(
        ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: URL(string: "https://unknown.invalid")!),
        id: "")

    /// The same client at the endpoints that its requests go to: with a certificate, the provider's aliases (RFC 8705, section 5).
    package var atItsEndpoints: Client { Client(provider.endpoints(for: credential), id: id, credential: credential) }

    /// The same client with the credential given where it has none of its own, or one that its archive left out.
    package func fallingBack(on other: ClientCredential?) -> Client {
        guard let other, ownCredential == nil else { return self }
        return Client(provider, id: id, credential: other)
    }

    /// The credential; nil for a public client, and for one whose archive left it out.
    package var ownCredential: ClientCredential? {
        credential == .none || credential.source == .value("") ? nil : credential
    }

    /// The credential of a decoded client that had one: a request with it fails, and its error says what is missing.
    private static let leftOut = ClientCredential.secret("")

    /// Identifier and issuer.
    public var description: String {
        "client \(id.printable()) of \((provider.issuer?.rawValue ?? provider.tokenEndpoint.redactedDescription).printable())"
    }
}

extension Client: Codable {
    private enum CodingKeys: String, CodingKey { case provider, id, credential }

    /// Decodes a client; one that had a credential needs it again before its next request.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        provider = try container.decode(ProviderConfiguration.self, forKey: .provider)
        id = try container.decode(String.self, forKey: .id)
        credential = try container.decodeIfPresent(Bool.self, forKey: .credential) == true ? Self.leftOut : .none
    }

    /// Encodes provider and identifier, and of the credential only that there is one: an archive that another program can
    /// write must not name a secret that this one then reads.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(provider, forKey: .provider)
        try container.encode(id, forKey: .id)
        if credential.isProof { try container.encode(true, forKey: .credential) }
    }
}
