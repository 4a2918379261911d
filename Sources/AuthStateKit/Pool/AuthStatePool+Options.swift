extension AuthStatePool {
    /// How a pool behaves.
    public struct Options: Sendable {
        /// How each of its states behaves.
        public var state = AuthState.Options()
        /// How many states are kept in memory; those in use, and those that could not be saved, are kept beyond it.
        public var capacity = 10_000
        /// How long a state that nobody uses stays in memory, and is renewed; counted while the pool runs.
        public var idleTime: Duration = .seconds(1800)
        /// How many renewals ahead of expiry are under way at once.
        public var concurrentRenewals = 8
        /// Which part of the time in which tokens are fresh the renewals are spread over; ten minutes at most.
        public var renewalSpread = 0.1
        /// How long `run()` waits at its end for renewals that are under way.
        public var drainDeadline: Duration = .seconds(30)

        /// Makes the default options.
        public init() {}
    }

    /// What a pool holds and has done, at one moment; the numbers count from its beginning.
    public struct Statistics: Sendable, Hashable {
        /// How many states are in memory.
        public var loaded = 0
        /// Lookups that found their state in memory.
        public var hits = 0
        /// Readings of the store, those that found nothing included.
        public var loads = 0
        /// States that left memory, because there was no room or because nobody used them.
        public var evictions = 0
        /// Renewals ahead of expiry, those included that another process had already made.
        public var renewals = 0
        /// Renewals ahead of expiry that failed; they are tried again.
        public var failedRenewals = 0
        /// How many states are due for a renewal ahead of expiry, those included that have one under way.
        public var dueRenewals = 0
    }

    /// What the pool holds and has done; read from anywhere, without waiting.
    public var statistics: Statistics {
        contents.withLock { contents in
            var statistics = contents.statistics
            statistics.loaded = contents.table.count
            statistics.dueRenewals = contents.table.pending
            return statistics
        }
    }
}
