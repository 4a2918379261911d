public import AuthStateKit

extension AuthStatePool {
    /// The options of a pool.
    public struct Options: Sendable {
        /// The options of each of its states.
        public var state = AuthState.Options()
        /// The number of states kept in memory; states in use, and states that could not be saved, are kept beyond it.
        public var capacity = 10_000
        /// The time for which an unused state stays in memory, and is renewed; counted while the pool runs.
        public var idleTime: Duration = .seconds(1800)
        /// The number of renewals ahead of expiry that are in progress at once, at most.
        public var concurrentRenewals = 8
        /// The part of the tokens' fresh time over which the renewals are spread; ten minutes at most.
        public var renewalSpread = 0.1
        /// The time for which `run()` waits at its end for renewals in progress.
        public var drainDeadline: Duration = .seconds(30)

        /// Makes the default options.
        public init() {}
    }

    /// The contents and the work of a pool at one moment; the numbers count from its beginning.
    public struct Statistics: Sendable, Hashable {
        /// The number of states in memory.
        public var loaded = 0
        /// Lookups that found their state in memory.
        public var hits = 0
        /// Readings of the store, those that found nothing included.
        public var loads = 0
        /// States that were evicted, because there was no room or because they were idle.
        public var evictions = 0
        /// Renewals ahead of expiry, including those that another process had already made.
        public var renewalsAhead = 0
        /// Renewals ahead of expiry that failed; they are tried again.
        public var failedRenewalsAhead = 0
        /// The number of states that are due for a renewal ahead of expiry, including those whose renewal is in
        /// progress.
        public var dueRenewals = 0
    }

    /// The contents and the work of the pool; read from anywhere, without waiting.
    public var statistics: Statistics {
        contents.withLock { contents in
            var statistics = contents.statistics
            statistics.loaded = contents.table.count
            statistics.dueRenewals = contents.table.pending
            return statistics
        }
    }
}
