import AuthStateKit
import AuthStateTesting
import MetricsTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MetricsObserverTests {
    @Test("a renewal counts as one token retrieved, and each of its steps has a time")
    func renewal() async throws {
        let world = try await World()
        let state = try await world.state()
        try await state.refresh()
        #expect(world.count("token_retrieved") == 1)
        #expect(world.count("token_waits", [("joined", "false")]) == 1)
        #expect(world.metrics.counters(label: "authstate_token_retrieval_failed").isEmpty)
        for name in ["renewal", "lease", "token_request", "save"] {
            let timers = world.metrics.timers(label: "authstate_\(name)_duration")
            #expect(timers.count == 1 && timers[0].values.allSatisfy { $0 > 0 }, "\(name)")
            #expect(timers[0].dimensions.map(\.0) == ["client_id", "token_type", "error"], "\(name)")
            #expect(timers[0].dimensions.last?.1 == "none", "\(name)")
        }
        await world.provider.stop()
    }

    @Test("callers that share a renewal wait once each, and retrieve one token")
    func sharing() async throws {
        let world = try await World()
        let state = try await world.state()
        let gate = ScriptedTransport.Gate()
        world.provider.inject(.held(gate), at: .token)
        async let first = state.refresh()
        async let second = state.refresh()
        try await eventually { world.count("token_waits", [("joined", "true")]) == 1 }
        gate.open()
        _ = try await (first, second)
        #expect(world.count("token_waits", [("joined", "false")]) == 1)
        #expect(world.count("token_retrieved") == 1)
        await world.provider.stop()
    }

    @Test(
        "a failed renewal is counted by code and kind",
        arguments: [
            ("invalid_grant", 400, "invalidGrant", "reauthenticationRequired"),
            ("invalid_client", 401, "invalidClient", "configuration"),
        ])
    func failure(answer: String, status: Int, code: String, kind: String) async throws {
        let world = try await World()
        let state = try await world.state()
        world.provider.injectFaults(at: .token) { _ in .oauthError(answer, status: status, description: "because") }
        await #expect(throws: AuthStateError.self) { try await state.refresh() }
        let dimensions = [("error", code), ("kind", kind)]
        #expect(world.count("token_retrieval_failed", dimensions) == 1)
        #expect(world.count("token_denied", dimensions) == 1)
        #expect(world.metrics.counters(label: "authstate_token_retrieved").isEmpty)
        let request = try #require(world.metrics.timers(label: "authstate_token_request_duration").first)
        #expect(request.dimensions.last?.1 == code)
        await world.provider.stop()
    }

    @Test("a state that cannot be saved is counted")
    func unsaved() async throws {
        let store = BrokenStore()
        let world = try await World(store: store)
        let state = try await world.state()
        store.breakSaves()
        #expect(await state.logOut(.local).failures.count == 1)
        #expect(world.count("state_save_failed", [("error", "storeUnwritable"), ("kind", "store")]) == 1)
        await world.provider.stop()
    }

    @Test("no name and no dimension contains a key, a user or a token")
    func secrets() async throws {
        let world = try await World()
        let state = try await world.state("user-ada")
        let tokens = try await state.refresh()
        world.provider.injectFaults(at: .token) { _ in .oauthError("invalid_grant", description: "user ada") }
        await #expect(throws: AuthStateError.self) { try await state.refresh() }
        let record = state.record
        for secret in ["ada", tokens.accessToken, record.refreshToken, record.idToken].compactMap({ $0 }) {
            #expect(!world.text.contains(secret))
        }
        await world.provider.stop()
    }

    @Test("the identifier that a provider issued to one client is no dimension")
    func registered() async throws {
        let world = try await World()
        let record = try await AuthState.register(
            RegistrationRequest(world.client.provider, redirectURIs: [RedirectURI("http://127.0.0.1/callback")]),
            at: AuthState.Place(world.store, key: "registered", service: world.service, options: world.options))
        let id = record.record.client.id
        await #expect(throws: AuthStateError.self) { try await record.refresh() }
        #expect(!world.text.contains(id))
        #expect(world.text.contains(#"("client_id", "registered")"#))
        await world.provider.stop()
    }
}
