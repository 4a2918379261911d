import AuthStateFoundation
import AuthStateKit

/// The clock to wait by: it moves only when the schedule moves it.
struct SimulatedClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    let scheduler: Scheduler

    var now: Instant { Instant(offset: .seconds(Scheduler.tick(scheduler.now))) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let seconds = now.duration(to: deadline) / .seconds(1)
        if await scheduler.park(timeout: max(0, seconds), isCancellable: true, onlyByTime: true) == .cancelled {
            throw CancellationError()
        }
    }

    /// The time of day at the beginning of each run.
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
}
