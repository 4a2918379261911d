extension Duration {
    /// The duration in seconds.
    package var inSeconds: Double { self / .seconds(1) }

    /// Makes a duration of as many seconds, 30,000 years at most either way: a number from outside may be too large for
    /// a duration.
    package init(boundedSeconds seconds: Double) { self = .seconds(min(max(seconds, -1e12), 1e12)) }
}
