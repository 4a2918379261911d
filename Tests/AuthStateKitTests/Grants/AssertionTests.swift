import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateTesting
import Testing

@testable import AuthStateKit

@Suite(.timeLimit(.minutes(5))) struct AssertionTests {
    private let world: Platform

    init() async throws { world = try await Platform() }

    @Test("a program needs no secret: each renewal reads the platform's newest token, in the next process too")
    func life() async throws {
        let clock = ManualClock()
        let world = try await Platform(clock: clock)
        try world.mount()
        let store = InMemoryAuthStateStore()
        let state = try await world.state(store: store)
        #expect(state.status.canRenew && state.status.scope == "api" && state.record.refreshToken == nil)
        clock.advance(by: .seconds(3600))
        let second = try world.mount()
        _ = try await state.freshTokens()
        let archive = String(decoding: try #require(try await store.load(.default)).archive, as: UTF8.self)
        #expect(archive.contains(world.path) && !archive.contains(second))
        clock.advance(by: .seconds(3600))
        let third = try world.mount()
        let restored = try await AuthState.restore(at: world.fixture.place(store))
        #expect(restored.record.assertionGrant == AssertionGrant(world.assertion, scopes: ["api"]))
        _ = try await restored.freshTokens()
        #expect(world.sent.map { $0["assertion"] }.suffix(2) == [second, third])
        // No client stands beside the assertion.
        #expect(world.sent.allSatisfy { $0["client_id"] == nil && $0["scope"] == "api" })
        let outcome = await restored.logOut(.everywhere())
        #expect(outcome.session == .notNeeded && outcome.removal == .done && !restored.status.canRenew)
        #expect(world.fixture.provider.requests(at: .revocation).allSatisfy { $0.parameters["client_id"] == nil })
    }

    @Test(
        "a client that a platform vouches for authenticates with its token, which SPIFFE's name may stand beside",
        arguments: [
            (ClientAuthenticationMethod?.none, "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            (.privateKeyJWT, "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            (.spiffeJWT, "urn:ietf:params:oauth:client-assertion-type:jwt-spiffe"),
        ])
    func clientAuthentication(_ method: ClientAuthenticationMethod?, _ type: String) async throws {
        let token = try world.mount()
        var credential = world.assertion
        credential.method = method
        let client = Client(world.fixture.configuration, id: "service", credential: credential)
        let state = try await AuthState.logIn(.clientCredentials(client, scopes: ["api"]), at: world.fixture.place())
        #expect(state.isAuthorized)
        let sent = try #require(world.sent.last)
        #expect(sent["client_assertion"] == token && sent["client_assertion_type"] == type)
        // The token itself names the client to a server that knows SPIFFE.
        #expect(sent["client_id"] == (method == .spiffeJWT ? nil : "service") && sent["client_secret"] == nil)
        try credential.checkAvailable()
        #expect(try JSONDecoder().decode(ClientCredential.self, from: JSONEncoder().encode(credential)) == credential)
        // It signs nothing.
        var request = world.fixture.request()
        request.signingCredential = credential
        #expect(failure { _ = try world.fixture.service.requestObject(for: request) }?.code == .credentialUnavailable)
    }

    @Test(
        "other users may read a platform's file, as platforms mount it, and none may write it",
        arguments: [(0o600, true), (0o444, true), (0o644, true), (0o664, false), (0o646, false)])
    func permissions(_ permissions: Int, _ isRead: Bool) async throws {
        let token = try world.mount(permissions: permissions)
        guard !isRead else { return #expect(try world.assertion.issuedAssertion(stage: .token) == token) }
        let error = failure { _ = try world.assertion.issuedAssertion(stage: .token) }
        #expect(error?.code == .credentialUnavailable && error?.expected == "permissions 0644")
    }

    @Test(
        "what is no JWT is not sent, and the error shows nothing of it",
        arguments: ["hunter2", ClientKeys.pkcs8, "a b.c.d"])
    func otherContent(_ text: String) async throws {
        try world.write(text)
        let error = await authError { try await world.state() }
        #expect(error?.code == .credentialUnavailable && error?.message.contains(world.path) == true)
        #expect(error.map { "\($0)" }?.contains(text) == false)
        #expect(world.sent.isEmpty)
        #expect(failure { try world.assertion.checkAvailable() }?.stage == .usage)
    }

    @Test func `a missing file and an unset variable are clear errors`() async throws {
        #expect(await authError { try await world.state() }?.code == .credentialUnavailable)
        let unset = failure {
            _ = try ClientCredential.assertion(environment: "AUTHSTATE_NO_SUCH_TOKEN").issuedAssertion(stage: .token)
        }
        #expect(unset?.message.contains("AUTHSTATE_NO_SUCH_TOKEN") == true)
    }

    @Test("an assertion that the provider refuses leaves the state as it was, and is sent once")
    func refused() async throws {
        try world.mount()
        let state = try await world.state()
        try world.mount(audience: "https://other.example")
        let count = world.sent.count
        let error = await authError { try await state.refresh() }
        #expect(error?.code == .invalidGrant && error?.stage == .token && world.sent.count == count + 1)
        #expect(state.isAuthorized && state.authorizationError == nil)
        try world.mount()
        try await state.refresh()
    }

    @Test("a function is told whom the assertion is for, and is asked for each request")
    func function() async throws {
        let clock = ManualClock()
        let world = try await Platform(clock: clock)
        let asked = Lock<[CredentialRequest]>([])
        let assertion = ClientCredential.assertion { request in
            asked.withLock { $0.append(request) }
            return try world.token(audience: request.audience)
        }
        let store = InMemoryAuthStateStore()
        let place = world.fixture.place(store)
        let login = AuthState.Login.assertion(
            assertion, at: world.fixture.configuration, scopes: ["api"], resources: ["https://api.example"])
        let state = try await AuthState.logIn(login, at: place)
        clock.advance(by: .seconds(3600))
        _ = try await state.freshTokens()
        let expected = CredentialRequest(
            audience: world.fixture.provider.issuer, clientID: "", resources: ["https://api.example"], scopes: ["api"])
        #expect(asked.withLock { $0 } == [expected, expected])
        // The next process has the function again from the login, and does not log in anew.
        let next = try await AuthState.restoreOrLogIn(login, at: place)
        #expect(asked.withLock { $0.count } == 2)
        clock.advance(by: .seconds(3600))
        _ = try await next.freshTokens()
        #expect(asked.withLock { $0.count } == 3)
        // One that was restored without it says what is missing.
        let bare = try await AuthState.restore(at: place)
        #expect(await authError { try await bare.refresh() }?.code == .credentialUnavailable)
    }

    @Test func `the errors of a function reach the caller, and the state stays as it was`() async throws {
        struct Unreachable: Error {}
        let failing = Lock<(any Error)?>(nil)
        let assertion = ClientCredential.assertion { request in
            if let error = failing.withLock({ $0 }) { throw error }
            return try world.token(audience: request.audience)
        }
        let state = try await world.state(assertion)
        failing.withLock { $0 = Unreachable() }
        let error = await authError { try await state.refresh() }
        #expect(error?.code == .credentialUnavailable && error?.message.contains("could not be fetched") == true)
        let own = AuthStateError(.notLoggedIn, stage: .store, "Nobody is logged in there.")
        failing.withLock { $0 = own }
        #expect(await authError { try await state.refresh() } == own)
        failing.withLock { $0 = CancellationError() }
        #expect(await authError { try await state.refresh() }?.message.contains("given up") == true)
        #expect(state.isAuthorized && state.authorizationError == nil)
        let silent = await authError { try await world.state(.assertion { _ in "" }) }
        #expect(silent?.code == .credentialUnavailable && silent?.message.contains("is empty") == true)
    }

    @Test func `a secret and a key come from a function too`() async throws {
        let secret = ClientCredential.fetched { request in request.clientID + "-secret" }
        let client = Client(world.fixture.configuration, id: "service", credential: secret)
        let place = AuthState.Place.memory(service: world.fixture.service)
        #expect(try await AuthState.logIn(.clientCredentials(client), at: place).isAuthorized)
        let key = try SigningKey.generate(.es256)
        world.fixture.provider.update {
            $0.clients.append(.init(id: "robot", keys: [key.publicKey], grantTypes: [.jwtBearer]))
        }
        let text = String(decoding: key.privateKey.privateJSON.serialized(), as: UTF8.self)
        let grant = JWTBearerGrant(
            issuer: "robot", subject: "robot", key: .fetched(method: .privateKeyJWT) { _ in text }, scopes: ["api"])
        #expect(try await AuthState.logIn(.jwtBearer(grant, at: world.fixture.configuration), at: place).isAuthorized)
        // What is signed with the secret itself cannot wait for a function.
        var request = world.fixture.request()
        request.client.credential = secret
        #expect(failure { _ = try world.fixture.service.requestObject(for: request) }?.code == .unsupported)
        #expect(
            failure { _ = try ClientCredential.fetched(method: .privateKeyJWT) { _ in text }.publicKey() }?.code
                == .unsupported)
    }

    @Test func `a stored state of another workload, or of another kind of program, is not continued`() async throws {
        try world.mount()
        let place = world.fixture.place(InMemoryAuthStateStore())
        let provider = world.fixture.configuration
        _ = try await AuthState.logIn(.assertion(world.assertion, at: provider), at: place)
        let count = world.sent.count
        _ = try await AuthState.restoreOrLogIn(.assertion(world.assertion, at: provider, scopes: ["api"]), at: place)
        #expect(world.sent.count == count)
        let token = try world.token()
        _ = try await AuthState.restoreOrLogIn(.assertion(.assertion { _ in token }, at: provider), at: place)
        #expect(world.sent.count == count + 1)
    }
}

/// A platform that gives its workloads tokens, a provider that trusts it, and the file in which a workload has its token.
struct Platform: Sendable {
    let fixture: ProviderFixture
    let path: String
    private let key: SigningKey
    private let folder: ScratchFolder

    init(
        clock: ManualClock? = nil, _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }
    ) async throws {
        let key = try SigningKey.generate(.es256, keyID: "platform-1")
        fixture = try await ProviderFixture(clock: clock) { configuration in
            configuration.assertionIssuers = [
                .init("https://platform.example", keys: [key.publicKey], clients: ["system:worker": "service"])
            ]
            change(&configuration)
        }
        self.key = key
        folder = try ScratchFolder()
        path = folder["token"]
    }

    var assertion: ClientCredential { .assertion(file: path) }
    var sent: [Parameters] { fixture.provider.requests(at: .token).map(\.parameters) }

    /// A token of the platform.
    func token(audience: String? = nil) throws -> String {
        let now = Int64(fixture.service.configuration.clock.now.timeIntervalSince1970)
        return try JSONWebToken.sign(
            claims: [
                "iss": "https://platform.example", "sub": "system:worker",
                "aud": [.string(audience ?? fixture.provider.issuer)], "exp": .number(JSONNumber(now + 600)),
                "jti": .string(UUID().uuidString),
            ], with: key)
    }

    /// Replaces the workload's token, as the platform does before the last one expires.
    @discardableResult
    func mount(audience: String? = nil, permissions: Int = 0o644) throws -> String {
        let token = try token(audience: audience)
        try write("\(token)\n", permissions: permissions)
        return token
    }

    func write(_ text: String, permissions: Int = 0o644) throws {
        try? FileManager.default.removeItem(atPath: path)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }

    func state(
        _ assertion: ClientCredential? = nil, store: any AuthStateStore = InMemoryAuthStateStore()
    ) async throws -> AuthState {
        try await AuthState.logIn(
            .assertion(assertion ?? self.assertion, at: fixture.configuration, scopes: ["api"]),
            at: fixture.place(store))
    }
}

/// The error that a piece of work ends with; nil when it succeeds.
private func failure(_ work: () throws -> Void) -> AuthStateError? {
    do {
        try work()
        return nil
    } catch { return error as? AuthStateError }
}
