import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

@Suite(.timeLimit(.minutes(5))) struct ClientTests {
    private let fixture: ProviderFixture

    init() async throws { fixture = try await ProviderFixture() }

    private func pending(_ credential: ClientCredential) async throws -> PendingAuthorization {
        var request = fixture.request(client: "service").with(credential)
        request.redirectURI = try RedirectURI("http://127.0.0.1/callback")
        return try await fixture.service.begin(request)
    }

    /// The same as another process reads it.
    private func archived<T: Codable>(_ value: T) throws -> T {
        try JSONDecoder().decode(T.self, from: JSONEncoder().encode(value))
    }

    private func answer(_ pending: PendingAuthorization) async throws -> AuthorizationCallback {
        let session = try await DirectUserAgent().prepare(redirectURI: pending.request.redirectURI, for: .login)
        return try await session.present(pending.url)
    }

    @Test(
        "the archive of a login that was begun names no place of a secret, and no secret",
        arguments: [
            ClientCredential.environment("PLACE_OF_A_SECRET"), .file("/PLACE_OF_A_SECRET"),
            .secret("PLACE_OF_A_SECRET"),
            ClientCredential(.issued("PLACE_OF_A_SECRET")),
        ])
    func archive(_ credential: ClientCredential) async throws {
        let text = String(decoding: try JSONEncoder().encode(try await pending(credential)), as: UTF8.self)
        #expect(!text.contains("PLACE_OF_A_SECRET") && text.contains(#""id":"service""#))
    }

    @Test("a login that was archived needs the client's credential again, and asks the provider nothing without it")
    func archivedLogin() async throws {
        var restored = try archived(try await pending(.secret("service-secret")))
        let callback = try await answer(restored)
        let error = await authError { try await fixture.service.complete(restored, callback: callback) }
        #expect(error?.code == .credentialUnavailable && error?.hint?.contains("completed") == true)
        #expect(fixture.provider.requestCount(.token) == 0)
        restored = try archived(try await pending(.secret("service-secret")))
        restored.client.credential = .secret("service-secret")
        let state = try await AuthState.logIn(.callback(try await answer(restored), of: restored), at: fixture.place())
        #expect(state.isAuthorized && state.record.client.id == "service")
    }

    @Test func `a public client's archived login needs nothing`() async throws {
        var request = fixture.request()
        request.redirectURI = try RedirectURI("http://127.0.0.1/callback")
        let restored = try archived(try await fixture.service.begin(request))
        let state = try await AuthState.logIn(.callback(try await answer(restored), of: restored), at: fixture.place())
        #expect(state.isAuthorized && state.record.client == restored.client)
    }

    @Test("a pool gives its credential to a client without one, and to one whose archive left it out")
    func pool() async throws {
        let pool = AuthStatePool(
            store: InMemoryAuthStateStore(), service: fixture.service, credential: .secret("service-secret"))
        for pending in [try await pending(.none), try archived(try await pending(.secret("service-secret")))] {
            let state = try await pool.logIn(.callback(try await answer(pending), of: pending), for: "ada")
            #expect(state.record.client.credential == .secret("service-secret"))
        }
        let own = try await pending(.secret("another"))
        let callback = try await answer(own)
        #expect(
            await authError { try await pool.logIn(.callback(callback, of: own), for: "ada") }?.code == .invalidClient)
    }

    @Test func `a stored state has its provider and its client once`() async throws {
        let store = InMemoryAuthStateStore()
        let state = try await AuthState.logIn(
            .browser(fixture.request(client: "service").with(.secret("service-secret")), DirectUserAgent()),
            at: fixture.place(store))
        let archive = try #require(try await store.load(.default)).archive
        let text = String(decoding: archive, as: UTF8.self)
        let endpoint = state.record.client.provider.tokenEndpoint.absoluteString
        #expect(text.components(separatedBy: #""tokenEndpoint":"\#(endpoint)""#).count == 2)
        let restored = try await AuthState.restore(at: fixture.place(store), credential: .secret("service-secret"))
        let request = try #require(restored.record.lastAuthorizationResponse?.request)
        #expect(request.client == restored.record.client)
        #expect(request.client == state.record.client && request.scopes == [.openID, .profile])
    }

    @Test func `a request that was archived without its client can be read, and reaches no provider`() async throws {
        var request = try archived(fixture.request([.profile]).withoutClient)
        request.redirectURI = try RedirectURI("http://127.0.0.1/callback")
        #expect(request.client.id == "")
        let archive = request
        #expect(await authError { try await fixture.service.begin(archive) }?.code == .endpointMissing)
    }

    @Test func `an archived login that lacks its client is not read`() async throws {
        let begun = try await pending(.none)
        let text = String(decoding: try JSONEncoder().encode(begun), as: UTF8.self)
        let former = text.replacing(#""ownClient""#, with: #""formerly""#)
        #expect(former != text)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PendingAuthorization.self, from: Data(former.utf8))
        }
    }

    @Test("a login restores only a state that it could have made: of a user, or of the same program")
    func kinds() async throws {
        let place = fixture.place(InMemoryAuthStateStore())
        let client = fixture.serviceClient
        let person = try await AuthState.logIn(.browser(AuthorizationRequest(client), DirectUserAgent()), at: place)
        let machine = try await AuthState.restoreOrLogIn(.clientCredentials(client), at: place)
        #expect(person.record.idToken != nil && machine.record.machineGrant != nil)
        #expect(fixture.provider.requestCount(.token) == 2)
        _ = try await AuthState.restoreOrLogIn(.clientCredentials(client), at: place)
        #expect(fixture.provider.requestCount(.token) == 2)
        let again = try await AuthState.restoreOrLogIn(
            .browser(AuthorizationRequest(client), DirectUserAgent()), at: place)
        #expect(again.record.machineGrant == nil && fixture.provider.requestCount(.token) == 3)
    }

    @Test func `archived codes without a credential leave a stored state its own`() async throws {
        let place = fixture.place(InMemoryAuthStateStore())
        let client = fixture.serviceClient
        let stored = try await AuthState.logIn(.browser(AuthorizationRequest(client), DirectUserAgent()), at: place)
        var record = stored.record
        record.client.credential = .environment("SERVICE_SECRET", method: .clientSecretPost)
        let other = fixture.place(InMemoryAuthStateStore())
        try await other.store.put(String(decoding: AuthStateArchive(record).data(), as: UTF8.self))
        let pending = try archived(try await pending(.environment("SERVICE_SECRET")))
        let state = try await AuthState.restoreOrLogIn(.callback(try await answer(pending), of: pending), at: other)
        #expect(state.record.client.credential == record.client.credential)
        #expect(
            Client(fixture.configuration, id: "a", credential: .secret("", method: .clientSecretPost)).ownCredential
                == nil)
    }

    @Test func `an authorization response to another client or from another provider is not taken`() async throws {
        let state = try await fixture.logIn()
        let before = state.record
        var response = try #require(before.lastAuthorizationResponse)
        response.request.client.id = "another"
        await #expect(throws: AuthStateError.self) { try await state.update(with: response) }
        response.request.client = before.client
        response.request.client.provider.issuer = try Issuer("https://other.example")
        await #expect(throws: AuthStateError.self) { try await state.update(with: response) }
        #expect(state.record == before)
    }
}
