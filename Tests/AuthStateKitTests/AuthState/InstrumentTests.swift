import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit

struct InstrumentTests {
    private func fixture(_ replies: [ScriptedTransport.Reply]) throws -> (Fixture, StepLog) {
        var fixture = try Fixture(replies)
        let log = StepLog()
        fixture.options.instrument = log
        return (fixture, log)
    }

    @Test func `the steps are nested, in order, and end with the renewal`() async throws {
        let (fixture, log) = try fixture([Fixture.tokens(1)])
        try await fixture.state().refresh()
        #expect(
            log.entries == [
                "renewal{", "lease{", "redeem refresh_token{", "}redeem", "save{", "}save", "}lease", "}renewal",
            ])
    }

    @Test func `fresh tokens begin nothing, nor does a caller that joins a renewal`() async throws {
        let gate = ScriptedTransport.Gate()
        var fixture = try Fixture([.gated(gate, then: Fixture.tokens(1))])
        let (log, events) = (StepLog(), EventLog())
        (fixture.options.instrument, fixture.options.observer) = (log, events)
        let state = fixture.state()
        _ = try await state.freshTokens()
        #expect(log.begun == 0)
        async let first = state.refresh()
        await gate.arrivals()
        async let second = state.refresh()
        try await eventually { events.events.contains(.tokensRequested(joined: true)) }
        gate.open()
        _ = try await (first, second)
        #expect(log.begun == 1)
    }

    @Test func `a failed request is the error of its step, and each repeat is a step`() async throws {
        let log: StepLog
        var fixture: Fixture
        (fixture, log) = try self.fixture([.json("{}", status: 503), Fixture.error("invalid_grant")])
        fixture.options.renewalRetries = 1
        let state = fixture.state()
        let caller = Task { await authError { try await state.refresh() } }
        await fixture.clock.sleepers(1, within: .seconds(1))
        fixture.clock.advance(by: .seconds(1))
        #expect(try await bounded { await caller.value }?.code == .invalidGrant)
        let ends = log.entries.filter { $0.hasPrefix("}") }
        #expect(
            ends == [
                "}redeem temporarilyUnavailable", "}redeem invalidGrant", "}save", "}lease invalidGrant",
                "}renewal invalidGrant",
            ])
    }

    @Test func `a save that fails is the error of its step, and so is its second try`() async throws {
        let (fixture, log) = try fixture([Fixture.tokens(1)])
        let store = FaultyStore()
        let state = fixture.state(store: store)
        store.fail(.save)
        _ = try? await state.refresh()
        #expect(log.entries.count { $0 == "}save storeUnwritable" } == 2)
        #expect(log.entries.last?.hasPrefix("}renewal") == true)
    }

    @Test func `a renewal that a logout overtakes has not failed`() async throws {
        let gate = ScriptedTransport.Gate()
        let (fixture, log) = try fixture([.gated(gate, then: Fixture.tokens(1))])
        let state = fixture.state()
        let caller = Task { await authError { try await state.refresh() } }
        await gate.arrivals()
        #expect(state.published.withLock { $0.flight != nil })
        let logout = Task { try await state.clear() }
        try await bounded { while await state.newest.grantEpoch < 2 { await Task.yield() } }
        #expect(state.published.withLock { $0.flight == nil }, "the renewal of an ended grant can be joined")
        gate.open()
        try await logout.value
        #expect(try await bounded { await caller.value }?.code == .notLoggedIn)
        // The caller's second look finds no login.
        #expect(log.entries.filter { $0.hasPrefix("}renewal") } == ["}renewal", "}renewal notLoggedIn"])
    }

    @Test func `a renewal begins in the task of the caller, whose values its own task does not inherit`() async throws {
        let (fixture, log) = try fixture([Fixture.tokens(1)])
        let state = fixture.state()
        try await StepLog.$caller.withValue("request 7") { _ = try await state.refresh() }
        #expect(log.callers == ["request 7"])
        #expect(log.callersInSteps == [""])
    }

    @Test func `a group surrounds each step with its instruments, the first one outermost`() async throws {
        var fixture = try Fixture([Fixture.tokens(1)])
        let log = StepLog()
        fixture.options.instrument = AuthStateInstrumentGroup(
            Named(name: "outer", log: log), Named(name: "inner", log: log))
        try await fixture.state().refresh()
        #expect(log.entries.prefix(4) == ["outer renewal", "inner renewal", "outer lease", "inner lease"])
    }
}

/// Writes down the steps of renewals.
private final class StepLog: AuthStateInstrument, RenewalInstrument {
    @TaskLocal static var caller = ""

    private let lines = Lock<[String]>([])
    private let begins = Lock<[String]>([])
    private let seen = Lock<Set<String>>([])

    var entries: [String] { lines.withLock { $0 } }
    var callers: [String] { begins.withLock { $0 } }
    var begun: Int { callers.count }
    /// The values of the caller's task that the steps saw.
    var callersInSteps: Set<String> { seen.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    func beginRenewal(of state: AuthState) -> any RenewalInstrument {
        begins.withLock { $0.append(Self.caller) }
        return self
    }

    nonisolated(nonsending) func run<R>(
        _ step: RenewalStep, _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        _ = seen.withLock { $0.insert(Self.caller) }
        add(([step.name.rawValue] + (step.grantType.map { [$0.rawValue] } ?? [])).joined(separator: " ") + "{")
        do {
            let result = try await body()
            add("}\(step.name.rawValue)")
            return result
        } catch {
            add("}\(step.name.rawValue) \((error as? AuthStateError)?.code.rawValue ?? "\(error)")")
            throw error
        }
    }
}

/// Writes down that it surrounds a step.
private struct Named: AuthStateInstrument, RenewalInstrument {
    let name: String
    let log: StepLog

    func beginRenewal(of state: AuthState) -> any RenewalInstrument { self }

    nonisolated(nonsending) func run<R>(
        _ step: RenewalStep, _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        log.add("\(name) \(step.name.rawValue)")
        return try await body()
    }
}
