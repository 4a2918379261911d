extension AuthState {
    /// How a state behaves; times are in seconds unless they are durations.
    public struct Options: Sendable {
        /// How long before its end an access token counts as not fresh; at most a quarter of its lifetime is used.
        public var leeway: Double = 60
        /// How long the provider may take to renew, repeats and pauses included; the lease has its own deadline.
        public var renewalDeadline: Duration = .seconds(60)
        /// How often a renewal is repeated when no connection came about, or the provider asked to wait (429, 503).
        public var renewalRetries = 2
        /// How long to wait for another holder of the stored state.
        public var leaseDeadline: Duration = .seconds(30)
        /// For how long the state in memory counts as the stored one, where the store cannot tell of changes, in seconds.
        public var storeCheckInterval: Double = 1
        /// What a refused access token means.
        public var unauthorizedPolicy: UnauthorizedPolicy = .renewOnce
        /// Origins that may receive the access token, for example `https://api.example`; nil allows all.
        ///
        /// Only their refusals of it count then, see `UnauthorizedPolicy`.
        public var allowedOrigins: Set<String>?
        /// Secrets and keys that a stored state may name where others can write the store, each bound to its provider by
        /// `ClientCredential.sent(onlyTo:)`; see `AuthStateStore.mayBeWrittenByOthers`.
        public var allowedCredentials: [ClientCredential] = []
        /// Told of everything that happens, synchronously.
        public var observer: (any AuthStateObserver)?

        /// Makes the default options.
        public init() {}
    }
}
