import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Testing

struct ChangeTests {
    @Test("each subscriber sees the current state first, then every change in order")
    func everySubscriberSeesAll() async throws {
        let fixture = try Fixture([Fixture.tokens(1), Fixture.error("invalid_grant")])
        let state = fixture.state()
        let streams = (0..<3).map { _ in state.stateChanges }
        _ = try await state.refresh()
        _ = await authError { try await state.refresh() }
        for stream in streams {
            var seen: [AuthState.Status] = []
            for await change in stream {
                seen.append(change)
                if change.authorizationError != nil { break }
            }
            #expect(seen.map(\.isAuthorized) == [true, true, false])
            #expect(seen.map(\.revision) == seen.map(\.revision).sorted())
        }
    }

    @Test func `a subscriber that does not read keeps the newest 64, and the gap shows in revision`() async throws {
        let fixture = try Fixture([], then: Fixture.tokens(1))
        let state = fixture.state()
        let stream = state.stateChanges
        for _ in 0..<100 { try await state.refresh() }
        var seen: [Int] = []
        for await change in stream {
            seen.append(change.revision)
            if seen.count == 64 { break }
        }
        #expect(seen.last == state.status.revision)
        #expect(seen.first != 1)
    }

    @Test func `a stream ends with its task`() async throws {
        let state = try Fixture().state()
        let reader = Task { for await _ in state.stateChanges {} }
        reader.cancel()
        try await bounded { await reader.value }
    }

    @Test func `no published or printed value holds a token`() async throws {
        var fixture = try Fixture([Fixture.tokens(1), Fixture.error("invalid_grant")])
        let log = EventLog()
        fixture.options.observer = log
        let state = fixture.state()
        let tokens = try await state.refresh()
        let error = await authError { try await state.refresh() }
        var text = ""
        for value in [
            tokens, state.status, state.record, log.events, error as Any, fixture.record, fixture.transport.requests,
        ] as [Any] {
            dump(value, to: &text)
            text += "\(value) \(String(reflecting: value))"
        }
        #expect(text.contains("invalid_grant"))
        for secret in ["SECRET", "U0VDUkVU", "%53%45"] { #expect(!text.contains(secret)) }
    }

    @Test func `a group of observers hands every event to each`() async throws {
        var fixture = try Fixture([Fixture.tokens(1)])
        let (first, second) = (EventLog(), EventLog())
        fixture.options.observer = AuthStateObserverGroup(first, second)
        try await fixture.state().refresh()
        #expect(first.events.contains(.renewed) && first.events == second.events)
    }

    @Test func `an observer hears in the caller's task that it waits, and sees its task-local values`() async throws {
        var fixture = try Fixture([Fixture.tokens(1)])
        let observer = TaskLocalObserver()
        fixture.options.observer = observer
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        _ = try await TaskLocalObserver.$trace.withValue("trace-7") { try await state.freshTokens() }
        #expect(observer.traces == ["trace-7", "trace-7"])
    }

    @Test("run() renews ahead of expiry and ends with its task; drain() waits for the renewals in progress")
    func runAndDrain() async throws {
        let fixture = try Fixture([Fixture.tokens(1)], lifetime: 3600)
        let (state, clock) = (fixture.state(), fixture.clock)
        let service = Task { await state.run() }
        try await bounded { await clock.sleepers(1) }
        clock.advance(by: .seconds(3540))
        for await change in state.stateChanges where change.revision > 1 { break }
        #expect(state.record.accessToken == "SECRET-access-1")
        service.cancel()
        try await bounded { await service.value }
        try await bounded { await state.drain() }
    }
}

/// Notes the task-local value under which a caller's own events arrive.
private final class TaskLocalObserver: AuthStateObserver {
    @TaskLocal static var trace: String?
    private let seen = Lock<[String?]>([])
    var traces: [String?] { seen.withLock { $0 } }

    func authState(_ state: AuthState, did event: AuthStateEvent) {
        switch event {
        case .tokensRequested, .tokensDelivered: seen.withLock { $0.append(Self.trace) }
        default: break
        }
    }
}
