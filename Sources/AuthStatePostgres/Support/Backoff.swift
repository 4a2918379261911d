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
