import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

struct OpenIDProviderTroubleTests {
    /// What a trouble does to a login, or to what follows it.
    enum Effect: Sendable {
        case login(AuthStateError.Code)
        case renewal(AuthStateError.Code)
        case use(AuthStateError.Code)
        /// The login works; the state shows it.
        case state(@Sendable (AuthState) -> Bool)
    }

    static let effects: [String: Effect] = [
        "down": .login(.temporarilyUnavailable), "lost-answer": .login(.connectionLost), "hang": .login(.timedOut),
        "page": .login(.serverError), "forgotten-client": .login(.invalidClient), "denied": .login(.accessDenied),
        "clock": .login(.invalidIDToken), "bad-signature": .login(.invalidSignature),
        "foreign-key": .login(.invalidSignature), "wrong-audience": .login(.invalidIDToken),
        "wrong-nonce": .login(.invalidIDToken), "wrong-issuer": .login(.issuerMismatch),
        "mixed-up-issuer": .login(.issuerParameterMismatch), "wrong-state": .login(.stateMismatch),
        "invalid-grant": .renewal(.invalidGrant), "refused-token": .use(.tokenRejected),
        "less-scope": .state { $0.record.scope == "openid" },
        "no-refresh-token": .state { !$0.status.canRenew },
        "rotate-keys": .state { $0.isAuthorized }, "slow": .state { $0.isAuthorized },
    ]

    @Test("each trouble has its effect on a login", arguments: OpenIDProvider.Trouble.allCases.map(\.rawValue))
    func effect(name: String) async throws {
        let effect = try #require(Self.effects[name], "a trouble without an expected effect")
        let provider = try await OpenIDProvider()
        provider.troubles = [try #require(OpenIDProvider.Trouble(rawValue: name))]
        // Each part of the client asks anew, as a program that starts does.
        func service() -> AuthorizationService {
            return AuthorizationService { $0.requestTimeout = name == "hang" ? .milliseconds(300) : .seconds(20) }
        }
        func logIn() async throws -> AuthState {
            let service = service()
            let client = Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app")
            let request = AuthorizationRequest(client, scopes: [.openID, .profile])
            return try await AuthState.logIn(.browser(request, DirectUserAgent()), at: .memory(service: service))
        }
        switch effect {
        case .login(let code): #expect(await authError { try await logIn() }?.code == code)
        case .renewal(let code):
            let state = try await logIn()
            #expect(await authError { try await state.refresh() }?.code == code)
        case .use(let code):
            let state = try await logIn()
            let api = TransportRequest(url: provider.url(of: .resource))
            #expect(await authError { try await state.performAction(api) }?.code == code)
        case .state(let holds): #expect(holds(try await logIn()))
        }
        provider.troubles = []
        #expect(try await logIn().isAuthorized, "it ends with the trouble")
    }

    @Test func `a provider that keeps a file goes on after a restart: grants, registrations and keys`() async throws {
        let folder = try ScratchFolder()
        var configuration = OpenIDProvider.Configuration()
        configuration.file = folder["provider.json"]
        let first = try await OpenIDProvider(configuration: configuration)
        let service = AuthorizationService()
        let provider = try await service.discoverConfiguration(issuer: first.issuer)
        var metadata = ClientMetadata()
        metadata.redirectURIs = [try RedirectURI("http://127.0.0.1/callback")]
        let registration = try await service.register(RegistrationRequest(provider, metadata))
        let login = AuthState.Login.browser(
            AuthorizationRequest(
                Client(provider, id: registration.clientID, credential: registration.credential), scopes: [.openID]),
            DirectUserAgent())
        let state = try await AuthState.logIn(login, at: .memory(service: service))
        for _ in 0..<2 { try first.rotateKeys() }
        _ = try await state.refresh()
        let (port, keys) = (first.port, first.keyIDs)
        await first.stop()

        let second = try await OpenIDProvider(configuration: configuration, port: port)
        #expect(second.keyIDs == keys)
        for _ in 0..<3 { try second.rotateKeys() }
        #expect(Set(second.keyIDs).count == second.keyIDs.count, "no name comes twice")
        #expect(try await state.refresh().accessToken != "")
        #expect(second.statistics.refreshRequests == 1)
        await second.stop()

        try Data("{".utf8).write(to: URL(filePath: folder["provider.json"]))
        let error = await authError { try await OpenIDProvider(configuration: configuration) }
        #expect(error?.code == .invalidArgument && error?.received == folder["provider.json"])
    }

    @Test func `each request leaves a line without secrets in the log, with its status`() async throws {
        let (lines, feed) = AsyncStream.makeStream(of: OpenIDProvider.LogLine.self)
        let fixture = try await ProviderFixture { $0.log = { feed.yield($0) } }
        let state = try await fixture.logIn()
        let token = try #require(state.record.accessToken)
        fixture.provider.inject(.oauthError("invalid_grant"), at: .token)
        _ = try? await state.refresh()
        feed.finish()
        var messages: [String] = []
        for await line in lines { messages.append("\(line)") }
        #expect(messages.contains("POST /token authorization_code app 200"))
        #expect(messages.last == "POST /token refresh_token app 400")
        #expect(!messages.contains { $0.contains(token) })
    }
}
