import AuthStateKit
import AuthStateTesting
import InMemoryTracing
import Testing
import Tracing

@Suite(.timeLimit(.minutes(5)))
struct TracingTests {
    @Test("a renewal's spans are nested, and the caller's span is their parent")
    func nesting() async throws {
        let world = try await World()
        try await world.tracer.withSpan("request") { _ in _ = try await world.state.refresh() }
        let caller = try #require(world.tracer.finishedSpans.first { $0.operationName == "request" })
        let renewal = try world.span("renewal")
        let (lease, redeem, saves) = try (world.span("lease"), world.span("redeem"), world.spans("save"))
        #expect(renewal.parentSpanID == caller.spanID)
        #expect(lease.parentSpanID == renewal.spanID)
        // The rotated refresh token is saved before the ID token is verified, the rest after it.
        #expect(saves.count == 2 && ([redeem] + saves).allSatisfy { $0.parentSpanID == lease.spanID })
        #expect(Set(world.tracer.finishedSpans.map(\.traceID)).count == 1)
        #expect(redeem.kind == .client && renewal.kind == .internal)
        #expect(redeem.text("oauth.client_id") == "app" && redeem.text("oauth.grant_type") == "refresh_token")
        #expect(world.names.count == 6 && world.tracer.activeSpans.isEmpty)
        let all = [renewal, lease, redeem] + saves
        #expect(all.allSatisfy { $0.text("authstate.outcome") == "ok" && $0.status == nil })
        await world.provider.stop()
    }

    @Test("fresh tokens make no span, and a login makes none")
    func fresh() async throws {
        let world = try await World()
        _ = try await world.state.freshTokens()
        #expect(world.names.isEmpty)
        await world.provider.stop()
    }

    @Test("a caller that joins a renewal has no span of its own; the first caller's span is the parent")
    func joining() async throws {
        let world = try await World()
        let gate = ScriptedTransport.Gate()
        world.provider.inject(.held(gate), at: .token)
        let (state, tracer) = (world.state, world.tracer)
        let first = Task { try await tracer.withSpan("first") { _ in try await state.refresh() } }
        await gate.arrivals()
        let second = Task { try await tracer.withSpan("second") { _ in try await state.refresh() } }
        try await eventually { tracer.activeSpans.contains { $0.operationName == "second" } }
        gate.open()
        _ = try await (first.value, second.value)
        let caller = try #require(tracer.finishedSpans.first { $0.operationName == "first" })
        #expect(world.spans("renewal").first?.parentSpanID == caller.spanID)
        #expect(tracer.activeSpans.isEmpty)
        await world.provider.stop()
    }

    @Test("a refusal ends every span, with its code")
    func refusal() async throws {
        let world = try await World()
        world.provider.inject(.oauthError("invalid_grant", description: "user ada is gone"), at: .token)
        await #expect(throws: AuthStateError.self) { try await world.state.refresh() }
        #expect(world.tracer.activeSpans.isEmpty)
        for span in try [world.span("renewal"), world.span("lease"), world.span("redeem")] {
            #expect(span.text("authstate.outcome") == "invalidGrant" && span.text("error.type") == "invalidGrant")
            #expect(span.text("authstate.error.kind") == "reauthenticationRequired")
            #expect(span.status?.code == .error)
        }
        // The refusal itself is saved.
        #expect(try world.span("save").text("authstate.outcome") == "ok")
        await world.provider.stop()
    }

    @Test("each repeat of the request has a span")
    func repeats() async throws {
        let clock = ManualClock()
        let world = try await World(clock: clock)
        world.provider.inject(.status(503), at: .token)
        let refresh = Task { try await world.state.refresh() }
        // The pause before the repeat is half a second at most.
        await clock.sleepers(1, within: .seconds(1))
        clock.advance(by: .seconds(1))
        _ = try await bounded { try await refresh.value }
        #expect(world.spans("redeem").compactMap { $0.text("authstate.outcome") } == ["temporarilyUnavailable", "ok"])
        await world.provider.stop()
    }

    @Test("a caller that gives up leaves the renewal's spans to end with it")
    func cancellation() async throws {
        let world = try await World()
        let gate = ScriptedTransport.Gate()
        world.provider.inject(.held(gate), at: .token)
        let refresh = Task { try await world.state.refresh() }
        await gate.arrivals()
        refresh.cancel()
        await #expect(throws: CancellationError.self) { try await refresh.value }
        #expect(world.tracer.activeSpans.count == 3)
        gate.open()
        try await bounded { await world.state.drain() }
        #expect(world.tracer.activeSpans.isEmpty)
        #expect(try world.span("redeem").text("authstate.outcome") == "ok")
        await world.provider.stop()
    }

    @Test("a renewal that a logout overtakes ends its spans")
    func superseded() async throws {
        let world = try await World()
        let gate = ScriptedTransport.Gate()
        world.provider.inject(.held(gate), at: .token)
        let refresh = Task { try await world.state.refresh() }
        await gate.arrivals()
        let end = Task { await world.state.logOut(.local) }
        try await eventually { !world.state.isAuthorized }
        gate.open()
        await #expect(throws: AuthStateError.self) { try await refresh.value }
        #expect(try await bounded { await end.value }.failures.isEmpty)
        #expect(world.tracer.activeSpans.isEmpty)
        await world.provider.stop()
    }

    @Test("no span contains a token, a user or the state's key")
    func secrets() async throws {
        let world = try await World()
        let before = world.state.record
        let tokens = try await world.state.refresh()
        world.provider.inject(.oauthError("invalid_grant", description: "user ada is gone"), at: .token)
        await #expect(throws: AuthStateError.self) { try await world.state.refresh() }
        let text = world.tracer.finishedSpans
            .map { "\($0.operationName) \($0.attributes) \($0.events) \($0.errors) \($0.status as Any)" }.joined()
        let secrets = [before.accessToken, before.refreshToken, tokens.accessToken, world.state.record.refreshToken]
        for secret in secrets.compactMap({ $0 }) + ["ada"] { #expect(!text.contains(secret)) }
        #expect(text.contains("refresh_token"))
        await world.provider.stop()
    }
}
