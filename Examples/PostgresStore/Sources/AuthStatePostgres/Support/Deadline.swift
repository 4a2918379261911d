/// A moment on an injected clock, after which waiting ends.
struct Deadline: Sendable {
    private static let farthest = Duration.seconds(365 * 24 * 3600)

    private let clock: any Clock<Duration>
    private let timeLeft: @Sendable () -> Duration

    /// A moment from now; a duration beyond a year is cut to a year, so that no clock overflows.
    init(after duration: Duration, on clock: some Clock<Duration>) {
        let end = clock.now.advanced(by: min(duration, Self.farthest))
        self.clock = clock
        timeLeft = { clock.now.duration(to: end) }
    }

    /// The time left; zero or less when the moment has passed.
    var remaining: Duration { timeLeft() }

    /// Waits, but not beyond the moment.
    ///
    /// - Throws: `CancellationError`.
    func sleep(atMost duration: Duration = farthest) async throws {
        try await clock.sleep(for: max(.zero, min(duration, remaining)), tolerance: nil)
    }
}

/// Growing pauses, with jitter, so that processes that wait for the same event do not retry all at once.
struct Backoff {
    private var pause: Double
    private let longest: Double

    /// Both in seconds.
    init(first: Double, longest: Double) {
        pause = first
        self.longest = longest
    }

    /// The next pause.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, longest) }
        return .seconds(pause * .random(in: 0.5...1))
    }
}
