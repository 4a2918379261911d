/// A moment on an injected clock at which waiting ends.
package struct Deadline: Sendable {
    private static let farthest = Duration.seconds(365 * 24 * 3600)

    private let clock: any Clock<Duration>
    private let timeLeft: @Sendable () -> Duration

    /// Makes a moment from now; anything beyond a year counts as a year, so that no clock overflows.
    package init(after duration: Duration, on clock: some Clock<Duration>) {
        let end = clock.now.advanced(by: min(duration, Self.farthest))
        self.clock = clock
        timeLeft = { clock.now.duration(to: end) }
    }

    /// The time that is left; zero or less when the moment has passed.
    package var remaining: Duration { timeLeft() }

    /// Waits, but not beyond the moment; throws `CancellationError`.
    package func sleep(atMost duration: Duration = farthest) async throws {
        try await clock.sleep(for: max(.zero, min(duration, remaining)), tolerance: nil)
    }
}
