import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

@Suite(.timeLimit(.minutes(5))) struct JWTBearerTests {
    /// A provider that knows the service account `robot`, and the file with its private key.
    struct World {
        let fixture: ProviderFixture
        let folder: URL
        let grant: JWTBearerGrant

        init(
            clock: ManualClock? = nil, _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }
        ) async throws {
            let key = try SigningKey.generate(.es256, keyID: "robot-1")
            fixture = try await ProviderFixture(clock: clock) { configuration in
                configuration.clients = [.init(id: "robot", keys: [key.publicKey], grantTypes: [.jwtBearer]), .service]
                change(&configuration)
            }
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("robot-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appendingPathComponent("key.json")
            try Data(key.privateKey.privateJSON.serialized()).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            grant = JWTBearerGrant(
                issuer: "robot", subject: "robot", key: .privateKey(file: file.path), scopes: ["api"],
                resources: ["https://api.example"])
        }

        func state(
            _ grant: JWTBearerGrant? = nil, store: any AuthStateStore = InMemoryAuthStateStore()
        ) async throws -> AuthState {
            try await AuthState.logIn(
                .jwtBearer(grant ?? self.grant, at: fixture.configuration), at: fixture.place(store))
        }

        var assertions: [String] { fixture.provider.requests(at: .token).compactMap { $0.parameters["assertion"] } }
    }

    @Test func `a logout shows no page: a service account has no session`() async throws {
        let world = try await World()
        defer { try? FileManager.default.removeItem(at: world.folder) }
        let state = try await world.state()
        #expect(world.fixture.configuration.endSessionEndpoint != nil)
        let outcome = await state.logOut(.everywhere())
        #expect(outcome.session == .notNeeded && outcome.removal == .done)
        #expect(state.record.jwtBearer == nil && !state.status.canRenew)
    }

    @Test("a token in the account's own name renews by signing anew, in the next process too")
    func life() async throws {
        let clock = ManualClock()
        let world = try await World(clock: clock)
        defer { try? FileManager.default.removeItem(at: world.folder) }
        let store = InMemoryAuthStateStore()
        let state = try await world.state(store: store)
        #expect(state.status.canRenew && state.status.scope == "api" && state.record.refreshToken == nil)
        let reply = try await state.performAction(TransportRequest(url: world.fixture.provider.url(of: .resource)))
        #expect(String(decoding: reply.body, as: UTF8.self).contains("Hello, robot!"))
        clock.advance(by: .seconds(3600))
        let first = state.record.accessToken
        #expect(try await state.freshTokens().accessToken != first)

        let archive = String(decoding: try #require(try await store.load(.default)).archive, as: UTF8.self)
        #expect(archive.contains("key.json") && !archive.contains("\"d\""))
        let restored = try await AuthState.restore(at: world.fixture.place(store))
        #expect(restored.record.jwtBearer == world.grant)
        clock.advance(by: .seconds(3600))
        #expect(try await restored.freshTokens().accessToken != first)
        #expect(world.assertions.count == 3 && Set(world.assertions).count == 3)
        let requests = world.fixture.provider.requests(at: .token)
        #expect(requests.allSatisfy { $0.parameters["client_id"] == nil && $0.parameters["scope"] == "api" })
        #expect(requests.allSatisfy { $0.parameters.values("resource") == ["https://api.example"] })
    }

    @Test func `a token is issued in the name of the user in sub, and of no other`() async throws {
        let world = try await World()
        defer { try? FileManager.default.removeItem(at: world.folder) }
        var grant = world.grant
        grant.subject = "ada"
        let state = try await world.state(grant)
        let reply = try await state.performAction(TransportRequest(url: world.fixture.provider.url(of: .resource)))
        #expect(String(decoding: reply.body, as: UTF8.self).contains("Hello, Ada Lovelace!"))
        grant.subject = "mallory"
        let error = await authError { try await world.state(grant) }
        #expect(error?.code == .invalidGrant && error?.hint?.contains("clock") == true)
    }

    @Test("a request that is repeated carries another assertion")
    func retries() async throws {
        let world = try await World()
        defer { try? FileManager.default.removeItem(at: world.folder) }
        let state = try await world.state()
        world.fixture.provider.inject(.status(503), at: .token)
        try await state.refresh()
        #expect(world.assertions.count == 3 && Set(world.assertions).count == 3)
    }

    @Test("when the key is no longer accepted, the state stays as it was, and says so")
    func revokedKey() async throws {
        let clock = ManualClock()
        let world = try await World(clock: clock)
        defer { try? FileManager.default.removeItem(at: world.folder) }
        let state = try await world.state()
        world.fixture.provider.update { $0.clients[0].keys = [] }
        let error = await authError { try await state.refresh() }
        #expect(error?.code == .invalidGrant && error?.stage == .token)
        #expect(state.isAuthorized && state.authorizationError == nil)
        try FileManager.default.removeItem(at: world.folder)
        #expect(await authError { try await state.refresh() }?.code == .credentialUnavailable)
    }

    @Test("a client that also authenticates is named")
    func confidentialClient() async throws {
        let world = try await World { $0.clients[1].grantTypes.insert(.jwtBearer) }
        defer { try? FileManager.default.removeItem(at: world.folder) }
        let error = await authError {
            _ = try await AuthState.logIn(
                .jwtBearer(world.grant, world.fixture.serviceClient), at: world.fixture.place())
        }
        // The assertion is the robot's, and this provider wants the client's own.
        #expect(error?.code == .invalidGrant)
        let request = try #require(world.fixture.provider.requests(at: .token).last)
        #expect(request.headers["Authorization"]?.hasPrefix("Basic ") == true)
    }

    @Test func `a key in memory is not archived, and a pool keeps the state under a key`() async throws {
        let world = try await World()
        defer { try? FileManager.default.removeItem(at: world.folder) }
        let store = InMemoryAuthStateStore()
        let pool = AuthStatePool(store: store, service: world.fixture.service)
        var grant = world.grant
        grant.key = ClientCredential(
            .value(try String(contentsOfFile: world.folder.path + "/key.json", encoding: .utf8)),
            method: .privateKeyJWT)
        let state = try await pool.logIn(.jwtBearer(grant, at: world.fixture.configuration), for: "robot")
        #expect(try await pool.state(for: "robot") === state)
        let restored = try await AuthState.restore(
            at: AuthState.Place(store, key: "robot", service: world.fixture.service))
        #expect(restored.isAuthorized)
        #expect(await authError { try await restored.refresh() }?.code == .credentialUnavailable)
        let bound = try await pool.logIn(
            .jwtBearer(world.grant, at: world.fixture.configuration, dpopKey: .generate()), for: "bound robot")
        #expect(try await bound.freshTokens().isDPoPBound)
    }

    @Test func `archives of clients' own states from before there were resources and assertions are read`() throws {
        let old = """
            {"format":3,"state":{"clientCredentials":{"additionalParameters":{"pairs":[{"name":"b","value":"c"}]},\
            "scopes":["a"]},"clientID":"client","configuration":{"tokenEndpoint":"https://op.example/token",\
            "tolerances":[]},"credential":{"source":"none"},"grantEpoch":0,"grantID":"","revision":0}}
            """
        let archive = try AuthStateArchive(data: Data(old.utf8))
        #expect(archive.record.clientCredentials == .init(scopes: ["a"], additionalParameters: ["b": "c"]))
        // Unused members leave no trace.
        #expect(String(decoding: try archive.data(), as: UTF8.self) == old)
        var record = archive.record
        record.clientCredentials?.resources = ["https://api.example"]
        #expect(try AuthStateArchive(data: AuthStateArchive(record).data()).record == record)
        record.jwtBearer = JWTBearerGrant(issuer: "i", subject: nil, key: .privateKey(file: "/k"))
        #expect(record.clientCredentials == nil)
        #expect(try AuthStateArchive(data: AuthStateArchive(record).data()).record == record)
    }
}
