import AuthStateKit
public import AuthStateServer
public import CoreMetrics
import Synchronization

/// Reports a pool's statistics with swift-metrics: how many states are loaded and due, and what the pool has done.
///
/// | Metric | Kind |
/// |---|---|
/// | `pool_states`: states in memory | gauge |
/// | `pool_due_renewals`: states that wait for a renewal ahead of expiry | gauge |
/// | `pool_hits`, `pool_loads`: lookups that found their state in memory, readings of the store | counter |
/// | `pool_evictions`: states that were evicted | counter |
/// | `pool_renewals`, `pool_failed_renewals`: renewals ahead of expiry | counter |
public final class PoolMetrics: Sendable {
    private let pool: AuthStatePool
    private let output: Output
    private let dimensions: [(String, String)]
    private let reported = Mutex<AuthStatePool.Statistics?>(nil)

    /// Makes the metrics of a pool.
    ///
    /// - Parameters:
    ///   - pool: The pool.
    ///   - dimensions: The dimensions of every metric, for a program with several pools.
    ///   - prefix: The beginning of every metric's name.
    ///   - factory: The maker of the metrics. Bootstrap `MetricsSystem` before this default is used.
    public init(
        _ pool: AuthStatePool, dimensions: [(String, String)] = [], prefix: String = "authstate_",
        factory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.pool = pool
        self.dimensions = dimensions
        output = Output(prefix: prefix, factory: factory)
    }

    /// Reports what the pool has done since the last report, and its contents now.
    public func report() {
        // Under the lock, so that two reports at once count nothing twice.
        reported.withLock { last in
            let now = pool.statistics
            output.set("pool_states", to: now.loaded, dimensions)
            output.set("pool_due_renewals", to: now.dueRenewals, dimensions)
            let counts: [(String, KeyPath<AuthStatePool.Statistics, Int>)] = [
                ("pool_hits", \.hits), ("pool_loads", \.loads), ("pool_evictions", \.evictions),
                ("pool_renewals", \.renewalsAhead), ("pool_failed_renewals", \.failedRenewalsAhead),
            ]
            for (name, count) in counts {
                output.count(name, by: now[keyPath: count] - (last?[keyPath: count] ?? 0), dimensions)
            }
            last = now
        }
    }

    /// Reports at intervals until the task is cancelled, and once more at its end; for a service lifecycle to own.
    ///
    /// - Parameters:
    ///   - interval: The time between two reports.
    ///   - clock: The clock that counts it.
    public func run(every interval: Duration = .seconds(10), clock: any Clock<Duration> = ContinuousClock()) async {
        repeat { report() } while (try? await clock.sleep(for: interval)) != nil
        report()
    }
}
