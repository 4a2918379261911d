import AuthStateJOSE
import AuthStateSystem
import AuthStateTesting
import Foundation
import Testing

@testable import AuthStateKit
@testable import AuthStateStorage

@Suite(.timeLimit(.minutes(5))) struct BlockingWorkTests {
    let clock = ManualClock()
    let gate = Gate()
    let work: BlockingWork

    init() { work = BlockingWork(label: "test", clock: clock) }

    private func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await work.run(within: .seconds(30), orThrow: .storeSilent(.storeUnreadable, "/a"), body)
    }

    private func start<R: Sendable>(_ body: @escaping @Sendable () throws -> R) -> Task<R, any Error> {
        Task { try await run(body) }
    }

    @Test func `a call that hangs holds up no other and times out; its late result is released`() async throws {
        let log = Log()
        let hanging = start {
            gate.pass()
            return Late(log)
        }
        try await eventually { gate.count == 1 }
        clock.advance(by: .seconds(29))
        #expect(try await run { "done" } == "done")
        clock.advance(by: .seconds(1))
        let error = try await expectStoreError(.storeUnreadable) { _ = try await hanging.value }
        #expect(error.message.contains("does not answer: /a"))
        #expect(log.lines.isEmpty)
        gate.open()
        try await eventually { log.lines == ["let go"] }
    }

    @Test func `when every thread hangs a call waits for one, and is never made once its time is over`() async throws {
        let log = Log()
        let hanging = (0..<8).map { _ in start { gate.pass() } }
        try await eventually { gate.count == 8 }
        let early = start { log.add("early") }
        try await clock.advance(until: early)
        try await expectStoreError(.storeUnreadable) { try await early.value }
        // Work that must not be left out times out too, but is done in the end.
        try await clock.advance(until: Task { await work.complete(within: .seconds(30)) { log.add("end") } })
        for task in hanging { try await expectStoreError(.storeUnreadable) { try await task.value } }
        let late = start { log.add("late") }
        #expect(log.lines.isEmpty)
        gate.open()
        try await late.value
        #expect(log.lines.sorted() == ["end", "late"])
    }

    @Test("a call whose task is cancelled is finished and its result given")
    func cancelled() async throws {
        let task = start {
            gate.pass()
            return "done"
        }
        try await eventually { gate.count == 1 }
        task.cancel()
        gate.open()
        #expect(try await task.value == "done")
    }

    @Test func `a thousand calls at once all end, on eight threads at most`() async throws {
        let threads = Threads()
        try await together(1000) { _ in try await run { threads.enterAndLeave() } }
        #expect((1...8).contains(threads.most))
    }
}

private final class Log: Sendable {
    private let state = Lock([String]())
    var lines: [String] { state.withLock { $0 } }
    func add(_ line: String) { state.withLock { $0.append(line) } }
}

/// Counts the threads that are inside at once.
private final class Threads: Sendable {
    private let state = Lock((now: 0, most: 0))
    var most: Int { state.withLock { $0.most } }

    func enterAndLeave() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
        sched_yield()
        state.withLock { $0.now -= 1 }
    }
}

/// A result that reports when its last reference is gone.
private final class Late: Sendable {
    private let log: Log
    init(_ log: Log) { self.log = log }
    deinit { log.add("let go") }
}
