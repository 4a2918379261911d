import AuthStateStorage

extension PostgresAuthStateStore {
    /// Times and limits of a store.
    public struct Configuration: Sendable {
        /// How long a lease lasts unless it is renewed, which happens every third of it: how long others wait for a holder
        /// that crashed. An hour at most: a lease that ends later counts as one of a server whose clock was wrong.
        public var leaseDuration: Duration = .seconds(30)
        /// Connections at a time. They are lent for a statement each, so that few serve many states.
        public var maximumConnections = 4
        /// How long libpq tries to connect, in whole seconds, two at least, for each address of the host.
        public var connectTimeout: Duration = .seconds(5)
        /// How long a statement may take.
        public var statementTimeout: Duration = .seconds(5)
        /// How long a step of a transaction is tried again while the database cannot be reached, so that a restart or
        /// failover passes unnoticed; redeemed tokens are saved for as long as the lease lasts, if that is longer.
        public var outageTolerance: Duration = .seconds(5)

        /// Makes the default configuration.
        public init() {}

        /// The duration of the leases that are asked for.
        var usableLeaseDuration: Duration { min(leaseDuration, .seconds(3600)) }
    }
}
