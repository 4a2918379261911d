import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateTesting

/// A provider and a service that talk to each other over loopback.
struct ProviderFixture {
    let provider: OpenIDProvider
    let service: AuthorizationService
    let configuration: ProviderConfiguration

    /// What providers that sign with RSA sign with: making such a key takes as long as starting a hundred of them.
    private static let rsaKey = Result { try SigningKey.generate(.rs256, keyID: "rsa").privateKey }

    /// - Parameter waits: Whether the service waits by the clock too.
    init(
        clock: ManualClock? = nil, waits: Bool = false,
        _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }
    ) async throws {
        var configuration = OpenIDProvider.Configuration()
        change(&configuration)
        switch configuration.signingAlgorithm.scheme {
        case .rsaPKCS1, .rsaPSS:
            var key = try Self.rsaKey.get()
            key.algorithm = configuration.signingAlgorithm.rawValue
            configuration.signingKey = try SigningKey(key)
        default: break
        }
        let wallClock = clock?.wallClock ?? .system
        provider = try await OpenIDProvider(configuration: configuration, clock: wallClock)
        var limits = AuthorizationService.Configuration()
        if let clock { limits.clock = waits ? wallClock : WallClock { clock.date } }
        limits.requestTimeout = .seconds(20)
        // The identifiers that WebFinger is asked about are on this machine.
        limits.outsideAddressPolicy = .any
        service = AuthorizationService(configuration: limits)
        self.configuration = try await service.discoverConfiguration(issuer: provider.issuer)
    }

    func request(_ scopes: [Scope] = [.openID, .profile], client: String = "app") -> AuthorizationRequest {
        AuthorizationRequest(Client(configuration, id: client), scopes: scopes)
    }

    func logIn(
        _ request: AuthorizationRequest? = nil, agent: DirectUserAgent = DirectUserAgent(),
        credential: ClientCredential = .none, options: AuthState.Options = AuthState.Options()
    ) async throws -> AuthState {
        try await AuthState.logIn(
            .browser((request ?? self.request()).with(credential), agent),
            at: .memory(service: service, options: options))
    }

    /// The client that logs in as itself.
    var serviceClient: Client { Client(configuration, id: "service", credential: .secret("service-secret")) }

    func place(_ store: any AuthStateStore = InMemoryAuthStateStore()) -> AuthState.Place {
        AuthState.Place(store, service: service)
    }

    func registration() throws -> RegistrationRequest {
        RegistrationRequest(configuration, redirectURIs: [try RedirectURI("http://127.0.0.1/callback")])
    }

    /// A form, as a client that does not use this library would send it.
    func post(
        _ form: Parameters, headers: TransportHeaders = [:], to endpoint: OpenIDProvider.Endpoint = .token
    ) async throws -> TransportResponse {
        var headers = headers
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return try await service.transport.send(
            TransportRequest(
                method: .post, url: provider.url(of: endpoint), headers: headers, body: Data(form.encoded.utf8)))
    }
}

extension AuthorizationService {
    /// A service with settings of its own.
    init(_ transport: any HTTPTransport = SystemTransport.shared, _ change: (inout Configuration) -> Void) {
        var configuration = Configuration()
        change(&configuration)
        self.init(transport: transport, configuration: configuration)
    }
}
