extension AuthState {
    /// The options of a state.
    public struct Options: Sendable {
        /// The time before its expiry in which an access token counts as not fresh; at most a quarter of its lifetime
        /// is used.
        public var leeway: Duration = .seconds(60)
        /// The time that a renewal may take at the provider, repeats and pauses included; the lease has its own
        /// deadline.
        public var renewalDeadline: Duration = .seconds(60)
        /// The number of times that a renewal is repeated when no connection is made, or the provider asks to wait
        /// (429, 503).
        public var renewalRetries = 2
        /// The time to wait for the lease while another holder has it.
        public var leaseDeadline: Duration = .seconds(30)
        /// The time for which the state in memory counts as the stored one, where the store cannot report changes.
        public var storeCheckInterval: Duration = .seconds(1)
        /// The time before the end of a login from which each renewal that does not move the end reports it, see
        /// `AuthStateEvent.loginExpiring`.
        public var loginExpiryNotice: Duration = .seconds(7 * 86400)
        /// The policy for a refused access token.
        public var unauthorizedPolicy: UnauthorizedPolicy = .renewOnce
        /// Origins that may receive the access token, for example `https://api.example`; nil allows all.
        ///
        /// Then only refusals by these origins count, see `UnauthorizedPolicy`.
        public var allowedOrigins: Set<String>?
        /// Secrets and keys that a stored state may name where other programs can write the store, each bound to its
        /// provider by `ClientCredential.restricted(to:)`; see `AuthStateStore.mayBeWrittenByOthers`.
        public var allowedCredentials: [ClientCredential] = []
        /// Whether http may carry tokens to this machine although the provider is elsewhere: for a resource on this machine.
        package var allowsLoopbackHTTP = false
        /// The observer of every event, called synchronously.
        public var observer: (any AuthStateObserver)?
        /// The instrument around the steps of renewals, for spans and times.
        public var instrument: (any AuthStateInstrument)?

        /// Makes the default options.
        public init() {}
    }
}
