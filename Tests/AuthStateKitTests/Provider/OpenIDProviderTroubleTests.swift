import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateLibc
import AuthStateServer
import AuthStateTesting
import Testing

struct OpenIDProviderTroubleTests {
    /// What a trouble does to a login, or to what follows it.
    enum Effect: Sendable {
        case login(AuthStateError.Code)
        case renewal(AuthStateError.Code)
        case use(AuthStateError.Code)
        /// A login whose first ID token comes with the code.
        case hybrid(AuthStateError.Code)
        case userInfo(AuthStateError.Code)
        case logout(AuthStateError.Code)
        case logoutToken(AuthStateError.Code)
        /// The registration of a client without a redirect URI.
        case registration(AuthStateError.Code)
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
        "no-key-id": .state { $0.record.idTokenTrust == .signature }, "no-audience": .login(.invalidIDToken),
        "no-subject": .login(.invalidIDToken), "no-issue-time": .login(.invalidIDToken),
        "expired-token": .login(.invalidIDToken), "wrong-token-issuer": .login(.invalidIDToken),
        "wrong-at-hash": .login(.invalidIDToken), "wrong-c-hash": .hybrid(.invalidIDToken),
        "no-c-hash": .hybrid(.invalidIDToken), "unsigned": .login(.invalidSignature),
        "wrong-user": .userInfo(.subjectMismatch), "no-logout-state": .logout(.stateMismatch),
        "wrong-logout-state": .logout(.stateMismatch), "logout-unsigned": .logoutToken(.invalidSignature),
        "logout-bad-signature": .logoutToken(.invalidSignature),
        "logout-wrong-algorithm": .logoutToken(.invalidSignature),
        "logout-wrong-issuer": .logoutToken(.invalidLogoutToken),
        "logout-wrong-audience": .logoutToken(.invalidLogoutToken),
        "logout-wrong-event": .logoutToken(.invalidLogoutToken),
        "logout-no-event": .logoutToken(.invalidLogoutToken), "logout-nonce": .logoutToken(.invalidLogoutToken),
        "wanted-redirect-uri": .registration(.registrationRedirectURIRefused),
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
        func logIn(hybrid: Bool = false) async throws -> AuthState {
            let service = service()
            let client = Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app")
            var request = AuthorizationRequest(client, scopes: [.openID, .profile])
            if hybrid { request.responseType = .codeIDToken }
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
        case .registration(let code):
            var metadata = ClientMetadata()
            metadata.grantTypes = [.deviceCode]
            let request = RegistrationRequest(
                try await service().discoverConfiguration(issuer: provider.issuer), metadata)
            #expect(await authError { try await service().register(request) }?.code == code)
            #expect(try await logIn().isAuthorized)
        case .hybrid(let code): #expect(await authError { try await logIn(hybrid: true) }?.code == code)
        case .userInfo(let code):
            let state = try await logIn()
            #expect(await authError { try await state.userInfo() }?.code == code)
        case .logout(let code):
            let outcome = try await logIn().logOut(.everywhere(DirectUserAgent()))
            guard case .failed(let error) = outcome.session else { return #expect(Bool(false), "\(outcome)") }
            #expect(error.code == code)
        case .logoutToken(let code):
            let error = await authError {
                let configuration = try await service().discoverConfiguration(issuer: provider.issuer)
                let token = try provider.logoutToken(for: "app", subject: "248289761001")
                _ = try await service().logoutToken(token, configuration: configuration, clientID: "app")
            }
            #expect(error?.code == code)
        case .state(let holds): #expect(holds(try await logIn()))
        }
        provider.troubles = []
        #expect(try await logIn().isAuthorized, "it ends with the trouble")
    }

    /// What the certification of relying parties has a provider do, and whether the client refuses it.
    static let certification: [(id: String, troubles: Set<String>, isRefused: Bool)] = [
        ("rp-nonce-invalid", ["wrong-nonce"], true), ("rp-id_token-aud", ["wrong-audience"], true),
        ("rp-id_token-aud", ["no-audience"], true), ("rp-id_token-iat", ["no-issue-time"], true),
        ("rp-id_token-sub", ["no-subject"], true), ("rp-id_token-issuer-mismatch", ["wrong-token-issuer"], true),
        ("rp-id_token-bad-sig-rs256", ["bad-signature"], true), ("rp-id_token-bad-sig-rs256", ["foreign-key"], true),
        ("rp-id_token-sig-rs256", [], false), ("rp-id_token-sig-none", ["unsigned"], true),
        ("rp-id_token-kid-absent-single-jwks", ["no-key-id"], false),
        ("rp-id_token-kid-absent-multiple-jwks", ["no-key-id", "rotate-keys"], false),
        ("rp-id_token-bad-at_hash", ["wrong-at-hash"], true), ("rp-id_token-bad-c_hash", ["wrong-c-hash"], true),
        ("rp-id_token-missing-c_hash", ["no-c-hash"], true), ("rp-key-rotation-op-sign-key", ["rotate-keys"], false),
        ("rp-discovery-issuer-not-matching-config", ["wrong-issuer"], true),
        ("rp-userinfo-bad-sub-claim", ["wrong-user"], true), ("rp-init-logout-no-state", ["no-logout-state"], true),
        ("rp-init-logout-other-state", ["wrong-logout-state"], true), ("rp-backchannel-rpinitlogout", [], false),
        ("lt-wrong-alg", ["logout-wrong-algorithm"], true), ("lt-alg-none", ["logout-unsigned"], true),
        ("lt-wrong-issuer", ["logout-wrong-issuer"], true), ("lt-wrong-aud", ["logout-wrong-audience"], true),
        ("lt-wrong-event", ["logout-wrong-event"], true), ("lt-no-event", ["logout-no-event"], true),
        ("lt-with-nonce", ["logout-nonce"], true),
    ]

    @Test(
        "the certification's misbehaviours are refused, and what it wants accepted is", arguments: certification.indices
    )
    func certified(index: Int) async throws {
        let (id, troubles, isRefused) = Self.certification[index]
        let fixture = try await ProviderFixture { $0.signingAlgorithm = .rs256 }
        let provider = fixture.provider
        provider.troubles = Set(OpenIDProvider.Trouble.allCases.filter { troubles.contains($0.rawValue) })
        #expect(provider.troubles.count == troubles.count, "each has a name that is known")
        let error = await authError {
            let service = AuthorizationService()
            let configuration = try await service.discoverConfiguration(issuer: provider.issuer)
            // Twice: keys that rotate are several by then.
            for _ in 0..<2 {
                var request = AuthorizationRequest(Client(configuration, id: "app"), scopes: [.openID])
                if id.contains("c_hash") { request.responseType = .codeIDToken }
                let state = try await AuthState.logIn(
                    .browser(request, DirectUserAgent()), at: .memory(service: service))
                _ = try await state.userInfo()
                let token = try provider.logoutToken(for: "app", subject: state.user?.subject)
                _ = try await service.logoutToken(token, configuration: configuration, clientID: "app")
                if case .failed(let error) = await state.logOut(.everywhere(DirectUserAgent())).session { throw error }
            }
        }
        #expect((error != nil) == isRefused, "\(id): \(error.map { "\($0)" } ?? "accepted")")
        let row = try Document("Docs/Testing.md").text.split(separator: "\n").first { $0.hasPrefix("| `\(id)` |") }
        #expect(row?.hasSuffix(isRefused ? "| refuse |" : "| accept |") == true, "\(id) in Docs/Testing.md")
        for name in troubles {
            #expect(row?.contains("`\(name)`") == true, "\(id) and \(name) in Docs/Testing.md")
        }
    }

    @Test func `every trouble has its row in Docs/Testing.md`() throws {
        let text = try Document("Docs/Testing.md").text
        for name in OpenIDProvider.Trouble.allCases.map(\.rawValue) {
            #expect(text.contains("\n| `\(name)` | "), "\(name)")
        }
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

    @Test("the kept file is its user's alone, also where a link leads to it, and another user's link leads nowhere")
    func keptFile() async throws {
        let folder = try ScratchFolder()
        func keep(in file: String) async throws {
            var configuration = OpenIDProvider.Configuration()
            configuration.file = file
            await (try await OpenIDProvider(configuration: configuration)).stop()
        }
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: folder[name])[.posixPermissions] as? Int
        }
        symlink("kept.json", folder["link"])
        try await keep(in: folder["link"])
        #expect(try mode("kept.json") == 0o600 && folder.names().sorted() == ["kept.json", "link"])
        chmod(folder["kept.json"], 0o644)
        try await keep(in: folder["kept.json"])
        #expect(try mode("kept.json") == 0o600)
        let planted = try Attack.SharedLink(to: folder["planted.json"])
        if geteuid() == 0 {
            let error = await authError { try await keep(in: planted.path) }
            #expect(error?.code == .invalidArgument && error?.message.contains("Another user's link") == true)
            #expect(error?.received == planted.path)
        }
        #expect(try folder.names().sorted() == ["kept.json", "link"])
    }

    @Test(
        "a refused request says why in its answer and in the log, and a path without an endpoint where the endpoints are"
    )
    func refusals() async throws {
        let lines = Lock<[String]>([])
        let fixture = try await ProviderFixture { $0.log = { line in lines.withLock { $0.append("\(line)") } } }
        let token = fixture.provider.url(of: .token)
        func send(_ type: String, _ body: String, _ path: String = "") async throws -> String {
            let url = path.isEmpty ? token : try #require(URL(string: fixture.provider.issuer + path))
            let answer = try await fixture.service.transport.send(
                TransportRequest(method: .post, url: url, headers: ["Content-Type": type], body: Data(body.utf8)))
            return String(decoding: answer.body, as: UTF8.self)
        }
        let json = try await send("application/json", #"{"grant_type":"client_credentials"}"#)
        #expect(json.contains("invalid_request") && json.contains("x-www-form-urlencoded, not application"))
        let proof = "Basic \(Base64.encode(Array("service:wrong".utf8)))"
        _ = try await fixture.post(["grant_type": "client_credentials"], headers: ["Authorization": proof])
        #expect(try await send("text/plain", "", "/api").contains("/api/hello"))
        let wrong = "client_id=app&response_type=code&redirect_uri=http://127.0.0.1/callback&scope=%1B%5B31m%0Aread"
        for query in [wrong, "client_id=app&redirect_uri=http://127.0.0.1/elsewhere", "client_id=none"] {
            let url = try #require(URL(string: "\(fixture.provider.url(of: .authorization))?\(query)"))
            _ = try await fixture.service.transport.send(TransportRequest(url: url))
        }
        let log = lines.withLock(\.self)
        #expect(log.contains { $0.hasPrefix("POST /token client_credentials service 401 invalid_client: The client") })
        #expect(log.contains("POST /api 404"))
        #expect(log.contains { $0.contains("invalid_scope") })
        #expect(
            log.allSatisfy { line in line.unicodeScalars.allSatisfy { $0.value >= 0x20 } }, "no line moves the cursor")
        #expect(
            log.contains {
                $0.contains("400 This redirect URI is not registered") && $0.contains("/elsewhere. Registered: ")
            })
        #expect(log.last?.contains("400 This client is not known here: none. Known: app, service.") == true)
    }

    @Test
    func `a registered algorithm signs the client's tokens; one that is not offered, and encryption, are refused`()
        async throws
    {
        let fixture = try await ProviderFixture { $0.signingAlgorithm = .rs256 }
        func register(_ name: String, _ value: String) async throws -> TransportResponse {
            let body = #"{"redirect_uris":["http://127.0.0.1/callback"],"\#(name)":"\#(value)"}"#
            return try await fixture.service.transport.send(
                TransportRequest(
                    method: .post, url: fixture.provider.url(of: .registration),
                    headers: ["Content-Type": "application/json"], body: Data(body.utf8)))
        }
        for (name, value) in [
            ("id_token_signed_response_alg", "none"), ("userinfo_signed_response_alg", "HS256"),
            ("id_token_encrypted_response_alg", "RSA-OAEP"),
        ] {
            let answer = try await register(name, value)
            #expect(answer.status == 400 && String(decoding: answer.body, as: UTF8.self).contains(name))
        }
        var metadata = ClientMetadata()
        metadata.redirectURIs = [try RedirectURI("http://127.0.0.1/callback")]
        (metadata.idTokenSignedResponseAlg, metadata.userInfoSignedResponseAlg) = (.es256, .edDSA)
        let registration = try await fixture.service.register(RegistrationRequest(fixture.configuration, metadata))
        #expect(fixture.provider.keyIDs.count == 3, "the keys are published before the first login")
        var request = fixture.request(client: registration.clientID)
        request.client.provider.userInfoAlgorithms = [.edDSA]
        request.client.provider.idTokenPolicy.algorithms = [.es256]
        let state = try await fixture.logIn(request, credential: registration.credential)
        #expect(try await state.userInfo().isSigned)
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
