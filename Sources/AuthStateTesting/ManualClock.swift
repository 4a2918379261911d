public import AuthStateFoundation
import AuthStateJOSE
public import AuthStateKit
import AuthStateSystem
import AuthStateUserAgent

/// A clock that moves only when a test moves it: for waiting, as a `Clock`, and for the time of day, as a `WallClock`.
///
/// A service takes it with `AuthorizationService.Configuration(clock:)`.
///
/// When no call has moved the clock for ten seconds of real time and a task still sleeps on it, a line on standard error says so,
/// once.
public final class ManualClock: Clock, Sendable {
    /// A moment, counted from the clock's start.
    public struct Instant: InstantProtocol, Sendable {
        /// The time since the start.
        public var offset: Duration

        /// A later moment.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time until another moment.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Whether one is earlier than the other.
        public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct Sleeper {
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        var count: Int
        var duration: Duration?
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        var watchers: [UInt64: Watcher] = [:]
        var moves = 0
        /// Whether a task looks after sleepers that are never woken, or has reported them.
        var isSupervised = false

        mutating func newID() -> UInt64 {
            nextID += 1
            return nextID
        }

        func isMet(_ watcher: Watcher) -> Bool {
            let end = watcher.duration.map(now.advanced)
            return sleepers.values.count { sleeper in end.map { sleeper.deadline <= $0 } ?? true } >= watcher.count
        }
    }

    private let start: Date
    private let state = Lock(State())
    private let realClock: any Clock<Duration>
    private let report: @Sendable (String) -> Void

    /// Makes a clock.
    ///
    /// - Parameter date: The time of day at its start.
    public convenience init(startingAt date: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        self.init(startingAt: date, realClock: ContinuousClock()) { StandardTerminal.write($0) }
    }

    init(startingAt date: Date, realClock: any Clock<Duration>, report: @escaping @Sendable (String) -> Void) {
        (start, self.realClock, self.report) = (date, realClock, report)
    }

    /// The moment that the clock shows.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step.
    public var minimumResolution: Duration { .zero }

    /// The time of day that the clock shows.
    public var date: Date { start.addingTimeInterval(now.offset.inSeconds) }

    /// The same clock, for a service's configuration.
    public var wallClock: WallClock { WallClock(waiting: self) { [self] in date } }

    /// Moves the clock and wakes the tasks that slept until then.
    public func advance(by duration: Duration) {
        let due: [CheckedContinuation<Void, any Error>] = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            state.moves += 1
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// Sleeps until a test has moved the clock to the deadline.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { $0.newID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Outcome { case asleep, due, cancelled }
                var woken: [CheckedContinuation<Void, Never>] = []
                var isAlone = false
                let outcome: Outcome = state.withLock { state in
                    if Task.isCancelled { return .cancelled }
                    if deadline <= state.now { return .due }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    for (id, watcher) in state.watchers where state.isMet(watcher) {
                        state.watchers[id] = nil
                        woken.append(watcher.continuation)
                    }
                    (isAlone, state.isSupervised) = (!state.isSupervised, true)
                    return .asleep
                }
                if isAlone { supervise() }
                for watcher in woken { watcher.resume() }
                switch outcome {
                case .asleep: break
                case .due: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Looks after the sleepers, until there are none, or nothing wakes them.
    private func supervise() {
        Task { [weak self, realClock] in
            var before = Look()
            while (try? await realClock.sleep(for: .seconds(10))) != nil, let self {
                guard let next = look(since: before) else { return }
                before = next
            }
        }
    }

    /// The sleepers at one moment, and the number of moves until then.
    private struct Look {
        var moves = -1
        var sleepers: Set<UInt64> = []
    }

    /// - Returns: Nil when there are no sleepers, and after the report that nothing has moved since those before slept.
    private func look(since before: Look) -> Look? {
        let (next, line): (Look?, String?) = state.withLock { state in
            guard !state.sleepers.isEmpty else {
                state.isSupervised = false
                return (nil, nil)
            }
            let next = Look(moves: state.moves, sleepers: Set(state.sleepers.keys))
            let stuck = next.sleepers.intersection(before.sleepers)
            guard before.moves == next.moves, let first = stuck.compactMap({ state.sleepers[$0]?.deadline }).min()
            else {
                return (next, nil)
            }
            let tasks = stuck.count == 1 ? "one task sleeps" : "\(stuck.count) tasks sleep"
            return (
                nil,
                "ManualClock: nothing has moved this clock for ten seconds, and \(tasks) on it, the next for "
                    + "\(state.now.duration(to: first)). A test moves it with advance(by:).\n"
            )
        }
        line.map(report)
        return next
    }

    /// Waits until at least so many tasks sleep on this clock, so that moving it wakes them; returns early when cancelled.
    ///
    /// - Parameters:
    ///   - count: The least number of sleeping tasks.
    ///   - duration: Counts only the tasks that moving the clock by it would wake; nil counts all.
    public func sleepers(_ count: Int = 1, within duration: Duration? = nil) async {
        let id = state.withLock { $0.newID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let watcher = Watcher(count: count, duration: duration, continuation: continuation)
                let isOver: Bool = state.withLock { state in
                    if Task.isCancelled || state.isMet(watcher) { return true }
                    state.watchers[id] = watcher
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let watcher = state.withLock { $0.watchers.removeValue(forKey: id) }
            watcher?.continuation.resume()
        }
    }
}

extension AuthorizationService.Configuration {
    /// Makes the default configuration with one clock for expiry and for waiting.
    ///
    /// Nothing passes by itself then: move the clock to end a pause, such as the one before a request is repeated that
    /// was answered with 429 or 503.
    public init(clock: ManualClock) {
        self.init()
        self.clock = clock.wallClock
    }
}
