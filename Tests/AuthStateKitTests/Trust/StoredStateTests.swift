import AuthStateApp
import AuthStateServer
import AuthStateTesting
import Foundation
import Testing

/// A store that other programs can write holds states of a confidential client.
@Suite(.timeLimit(.minutes(5))) struct StoredStateTests {
    private let store = OpenStore()
    private static let issuer = "https://op.example"
    private static let discovery = ScriptedTransport.Reply.json(
        #"""
        {"issuer":"https://op.example","authorization_endpoint":"https://op.example/authorize",
        "token_endpoint":"https://tokens.example/token","jwks_uri":"https://op.example/keys",
        "registration_endpoint":"https://op.example/r","revocation_endpoint":"https://op.example/v",
        "introspection_endpoint":"https://op.example/i","response_types_supported":["code"],
        "subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"]}
        """#)

    private func fixture(_ replies: [ScriptedTransport.Reply] = []) throws -> Fixture {
        var fixture = try Fixture(replies, then: Fixture.tokens(1), lifetime: -1)
        fixture.record.client.credential = .environment("PATH")
        return fixture
    }

    private func restored(_ fixture: Fixture, _ credential: ClientCredential? = nil) async throws -> AuthState {
        try await store.overwrite(with: fixture.record)
        return try await AuthState.restore(at: AuthState.Place(store, service: fixture.service), credential: credential)
    }

    private func endpoint(_ host: String) -> URL { URL(string: "https://\(host)/token")! }

    private nonisolated(nonsending) func expectWithheld<R>(
        _ fixture: Fixture, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async {
        let error = await authError(body)
        #expect(error?.code == .credentialWithheld && error?.kind == .configuration, sourceLocation: sourceLocation)
        #expect(error?.hint != nil && error?.received != nil, sourceLocation: sourceLocation)
        #expect(error.map { "\($0)" }?.contains("s3cret") == false, sourceLocation: sourceLocation)
        #expect(fixture.transport.requests.allSatisfy { $0.method == "GET" }, "sent", sourceLocation: sourceLocation)
    }

    @Test(
        "a secret in memory is not sent to the stored endpoint",
        arguments: [
            ClientCredential.secret("s3cret"), .secret("s3cret").restricted(to: .issuer(issuer)),
            .secret("s3cret", method: .clientSecretJWT).restricted(to: .issuer(issuer)), .environment("PATH"),
        ])
    func endpointChanged(_ credential: ClientCredential) async throws {
        var fixture = try fixture([Self.discovery])
        fixture.record.client.provider.tokenEndpoint = endpoint("evil.example")
        let state = try await restored(fixture, credential)
        await expectWithheld(fixture) { try await state.freshTokens() }
        #expect(state.authorizationError == nil, "the grant is kept")
    }

    @Test(
        "the credential that a stored state names is not read",
        arguments: [
            ClientCredential.environment("PATH"), .file("/etc/passwd"), .privateKey(file: "/etc/key"), .certificate(),
        ])
    func reference(_ stored: ClientCredential) async throws {
        var fixture = try fixture()
        fixture.record.client.credential = stored
        let state = try await restored(fixture)
        await expectWithheld(fixture) { try await state.freshTokens() }
    }

    @Test("a credential that is bound to the provider goes to the endpoints of its discovery document")
    func bound() async throws {
        var fixture = try fixture([Self.discovery])
        fixture.record.client.provider.tokenEndpoint = endpoint("tokens.example")
        #expect(try await restored(fixture, Self.bound).freshTokens().accessToken == "SECRET-access-1")
        #expect(fixture.transport.requests.last?.url.host == "tokens.example")
    }

    @Test func `the issuer's own origin needs no discovery`() async throws {
        let fixture = try fixture()
        #expect(try await restored(fixture, Self.bound).freshTokens().accessToken == "SECRET-access-1")
        #expect(fixture.transport.requests.count == 1)
    }

    @Test("a reference that the program allows is read, and sent to its provider only", arguments: [true, false])
    func allowed(_ isMoved: Bool) async throws {
        var fixture = try fixture()
        let provider = NamedProvider.configuration(fixture.record.client.provider)
        if isMoved { fixture.record.client.provider.tokenEndpoint = endpoint("evil.example") }
        try await store.overwrite(with: fixture.record)
        fixture.options.allowedCredentials = [.environment("PATH").restricted(to: provider)]
        let state = try await AuthState.restore(at: fixture.place(store))
        if isMoved {
            await expectWithheld(fixture) { try await state.freshTokens() }
        } else {
            #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
        }
    }

    @Test("a login of this process is not led astray by a change of what it stored", arguments: [true, false])
    func changedAfterLogin(_ isLogin: Bool) async throws {
        let fixture = try fixture([Fixture.tokens(0, expiresIn: 1), Fixture.tokens(0, expiresIn: 1)])
        let state = try await AuthState.logIn(
            .clientCredentials(Client(fixture.record.client.provider, id: "client", credential: .environment("PATH"))),
            at: fixture.place(store))
        if isLogin { try await state.refresh() }
        let sent = fixture.transport.requests.count
        try await store.change {
            $0.client.provider.tokenEndpoint = self.endpoint("evil.example")
            $0.revision += 1
        }
        #expect(await authError { try await state.refresh() }?.code == .credentialWithheld)
        #expect(fixture.transport.requests.count == sent)
    }

    @Test func `a state that the program makes itself is not led astray either`() async throws {
        var fixture = try fixture()
        fixture.record.client.credential = .secret("s3cret")
        let state = AuthState(fixture.record, service: fixture.service, store: store, options: fixture.options)
        try await state.setNeedsTokenRefresh()
        try await store.change {
            $0.client.provider.tokenEndpoint = self.endpoint("evil.example")
            $0.revision += 1
        }
        await expectWithheld(fixture) { try await state.refresh() }
    }

    @Test("a logout does not send the secret to a stored revocation endpoint")
    func logout() async throws {
        let fixture = try revocable()
        let state = try await restored(fixture, Self.bound)
        let outcome = await state.logOut(.everywhere())
        guard case .failed(let error) = outcome.revocation else {
            Issue.record("the revocation did not fail")
            return
        }
        #expect(error.code == .credentialWithheld)
        #expect(fixture.transport.requests.map(\.method) == ["GET"])
    }

    @Test(
        "a sweep sends the pool's secret to no stored revocation endpoint, and reads no stored reference",
        arguments: [true, false])
    func sweep(_ isGiven: Bool) async throws {
        let fixture = try revocable()
        try await store.overwrite("ada", with: fixture.record)
        let pool = AuthStatePool(store: store, service: fixture.service, credential: isGiven ? Self.bound : nil)
        let outcome = try await pool.sweep(olderThan: .seconds(60))
        #expect(outcome.error?.code == .credentialWithheld && outcome.failures == 1 && outcome.deleted == 0)
        #expect(fixture.transport.requests.allSatisfy { $0.method == "GET" })
    }

    /// The provider's secret, for the provider alone.
    private static let bound = ClientCredential.secret("s3cret").restricted(to: .issuer(issuer))

    /// A state whose revocation endpoint is another program's.
    private func revocable() throws -> Fixture {
        var fixture = try fixture([Self.discovery])
        fixture.record.client.provider.revocationEndpoint = endpoint("evil.example")
        return fixture
    }

    @Test("a pool gives its credential to the provider that it is bound to, and to no other", arguments: [true, false])
    func pool(_ isMoved: Bool) async throws {
        var fixture = try fixture([isMoved ? Self.discovery : Fixture.tokens(1)])
        if isMoved { fixture.record.client.provider.tokenEndpoint = endpoint("evil.example") }
        try await store.overwrite("ada", with: fixture.record)
        let pool = AuthStatePool(
            store: store, service: fixture.service,
            credential: .environment("PATH").restricted(to: .issuer(Self.issuer)))
        if isMoved {
            await expectWithheld(fixture) { try await pool.freshTokens(for: "ada") }
        } else {
            #expect(try await pool.freshTokens(for: "ada").accessToken == "SECRET-access-1")
        }
    }

    @Test(
        "public clients, and secrets that registration issued, are used as they are stored",
        arguments: [ClientCredential.none, ClientCredential(.issued("s"))])
    func nothingToProtect(_ stored: ClientCredential) async throws {
        var fixture = try fixture()
        fixture.record.client.credential = stored
        #expect(try await restored(fixture).freshTokens().accessToken == "SECRET-access-1")
    }

    @Test func `a state in a store of the program's own is used as it is stored`() async throws {
        let folder = try ScratchFolder()
        let key = try SealingKey(bytes: Array(repeating: 1, count: 32))
        let stores: [any AuthStateStore] = [
            InMemoryAuthStateStore(), FileAuthStateStore(folder: folder.path),
            try SealedAuthStateStore(OpenStore(), keys: [key]), ReadOnlyAuthStateStore(InMemoryAuthStateStore()),
        ]
        #expect(stores.allSatisfy { !$0.mayBeWrittenByOthers })
        for store in stores.dropLast() {
            let fixture = try fixture()
            let data = try AuthStateArchive(fixture.record).data()
            try await store.withLease(.default, deadline: .seconds(10)) { _ = try await $0.save(data, expecting: nil) }
            let state = try await AuthState.restore(at: AuthState.Place(store, service: fixture.service))
            #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
        }
        #expect(OpenStore().mayBeWrittenByOthers && ReadOnlyAuthStateStore(OpenStore()).mayBeWrittenByOthers)
        #expect(try SealedAuthStateStore(OpenStore(), keys: [key], opensUnsealed: true).mayBeWrittenByOthers)
    }

    @Test("a session gives its credential to its own provider only")
    @MainActor func session() async throws {
        var fixture = try fixture([Self.discovery])
        fixture.record.client.provider.issuer = try Issuer(Self.issuer)
        fixture.record.client.provider.tokenEndpoint = endpoint("evil.example")
        try await store.overwrite(with: fixture.record)
        var configuration = AuthSessionConfiguration(.issuer(Self.issuer), clientID: "client")
        configuration.credential = .environment("PATH")
        let core = AuthSessionCore(configuration, userAgent: PasteUserAgent(), service: fixture.service, store: store)
        await core.restore()
        let state = try #require(core.authState)
        await expectWithheld(fixture) { try await state.freshTokens() }
    }
}
