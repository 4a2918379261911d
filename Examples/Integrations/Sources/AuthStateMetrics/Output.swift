import CoreMetrics

/// The place where metrics go.
struct Output: Sendable {
    let prefix: String
    let factory: any MetricsFactory

    func count(_ name: String, by amount: Int = 1, _ dimensions: [(String, String)]) {
        Counter(label: prefix + name, dimensions: dimensions, factory: factory).increment(by: amount)
    }

    func set(_ name: String, to value: Int, _ dimensions: [(String, String)]) {
        Meter(label: prefix + name, dimensions: dimensions, factory: factory).set(value)
    }

    func record(_ name: String, _ duration: Duration, _ dimensions: [(String, String)]) {
        Timer(label: prefix + name, dimensions: dimensions, factory: factory)
            .recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }
}
