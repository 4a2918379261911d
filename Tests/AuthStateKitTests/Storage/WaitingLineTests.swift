import AuthStateJOSE
import AuthStateSystem
import Testing

@testable import AuthStateKit
@testable import AuthStateStorage

@Suite(.timeLimit(.minutes(5))) struct WaitingLineTests {
    let line = WaitingLine<String>()
    let far = Deadline(after: .seconds(60), on: ContinuousClock())

    /// Starts a task that waits for the name "a" and, once it has it, calls `body` and gives it back.
    private func waiter(_ body: @escaping @Sendable () -> Void = {}) async throws -> Task<Void, any Error> {
        let before = line.waiterCount("a")
        let task = Task {
            try await line.enter("a", until: far, orThrow: AuthStateError.storeLocked("a"))
            body()
            line.leave("a")
        }
        try await eventually { line.waiterCount("a") == before + 1 }
        return task
    }

    @Test func `waiters get the name in the order in which they came`() async throws {
        let seen = Lock([Int]())
        try await line.enter("a", until: far, orThrow: AuthStateError.storeLocked("a"))
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<20 { tasks.append(try await waiter { seen.withLock { $0.append(number) } }) }
        line.leave("a")
        for task in tasks { try await task.value }
        #expect(seen.withLock { $0 } == Array(0..<20))
    }

    @Test func `one name does not wait for another`() async throws {
        try await line.enter("a", until: far, orThrow: AuthStateError.storeLocked("a"))
        try await line.enter("b", until: far, orThrow: AuthStateError.storeLocked("b"))
        line.leave("a")
        try await line.enter("a", until: far, orThrow: AuthStateError.storeLocked("a"))
    }

    @Test func `a cancelled waiter is free at once, and the waiters behind it keep their turn`() async throws {
        let reached = Lock(false)
        try await line.enter("a", until: far, orThrow: AuthStateError.storeLocked("a"))
        let first = try await waiter { reached.withLock { $0 = true } }
        let second = try await waiter()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(line.waiterCount("a") == 1)
        line.leave("a")
        try await second.value
        #expect(!reached.withLock { $0 })
    }

    @Test func `a task that was cancelled before does not take the name`() async throws {
        let task = Task {
            try await eventually { Task.isCancelled }
            try await line.enter("a", until: far, orThrow: AuthStateError.storeLocked("a"))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await line.enter("a", until: far, orThrow: AuthStateError.storeLocked("a"))
    }

    @Test func `a cancellation just before a task joins the line is not lost`() async throws {
        try await line.enter("a", until: far, orThrow: AuthStateError.storeLocked("a"))
        let deadline = await Task { Deadline(after: .seconds(60), on: CancellingClock()) }.value
        let task = Task { try await line.enter("a", until: deadline, orThrow: AuthStateError.storeLocked("a")) }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(line.waiterCount("a") == 0)
    }

    @Test func `a waiter is told at its deadline, and is then no longer in the line`() async throws {
        try await line.enter("a", until: far, orThrow: AuthStateError.storeLocked("a"))
        let soon = Deadline(after: .seconds(5), on: JumpingClock())
        try await expectStoreError(.storeLocked) {
            try await line.enter("a", until: soon, orThrow: AuthStateError.storeLocked("a"))
        }
        #expect(line.waiterCount("a") == 0)
        line.leave("a")
        try await line.enter("a", until: far, orThrow: AuthStateError.storeLocked("a"))
    }

    @Test func `a deadline of zero takes a free name and refuses a taken one`() async throws {
        let now = Deadline(after: .zero, on: ContinuousClock())
        try await line.enter("a", until: now, orThrow: AuthStateError.storeLocked("a"))
        try await expectStoreError(.storeLocked) {
            try await line.enter("a", until: now, orThrow: AuthStateError.storeLocked("a"))
        }
    }

    @Test func `an endless deadline overflows nothing`() async throws {
        let endless = Deadline(after: .seconds(Int64.max), on: ContinuousClock())
        try await line.enter("a", until: endless, orThrow: AuthStateError.storeLocked("a"))
        #expect(endless.remaining > .seconds(60))
    }

    @Test("cancellations, deadlines and releases at the same moment lose neither a waiter nor the name")
    func storm() async throws {
        let holders = Holders()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<400 {
            let limit = number % 3 == 0 ? Duration.microseconds(200) : .seconds(60)
            let task = Task {
                let deadline = Deadline(after: limit, on: ContinuousClock())
                try await line.enter("a", until: deadline, orThrow: AuthStateError.storeLocked("a"))
                #expect(holders.enter() == 1)
                await Task.yield()
                holders.leave()
                line.leave("a")
            }
            tasks.append(task)
        }
        for task in tasks.indices.filter({ $0.isMultiple(of: 4) }).map({ tasks[$0] }) {
            task.cancel()
            await Task.yield()
        }
        for task in tasks { _ = await task.result }
        try await line.enter("a", until: far, orThrow: AuthStateError.storeLocked("a"))
        #expect(line.waiterCount("a") == 0)
    }
}

/// Counts the tasks that believe they hold a name.
private final class Holders: Sendable {
    private let count = Lock(0)

    func enter() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}

/// A clock that cancels the task that asks it for the time.
private struct CancellingClock: Clock {
    var now: JumpingClock.Instant {
        withUnsafeCurrentTask { $0?.cancel() }
        return JumpingClock.Instant()
    }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: JumpingClock.Instant, tolerance: Duration?) async throws {}
}
