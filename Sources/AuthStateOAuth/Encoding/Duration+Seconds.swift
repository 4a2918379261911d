extension Duration {
    package var inSeconds: Double { self / .seconds(1) }

    /// Makes a duration of at most 30,000 years either way: a number from outside may be too large for one.
    package init(boundedSeconds seconds: Double) { self = .seconds(min(max(seconds, -1e12), 1e12)) }
}
