public import AuthStateOAuth

/// Surrounds the steps of renewals, for spans and times: events say that something happened, steps how long it took and within
/// what.
///
/// Set it in `AuthState.Options.instrument`. Tokens that are fresh never reach it.
public protocol AuthStateInstrument: Sendable {
    /// Returns what surrounds the steps of a renewal that begins.
    ///
    /// Called in the task of the caller that starts the renewal, so that task-local values are that caller's. The renewal
    /// itself runs in a task of its own, which belongs to all callers that join it and inherits none of these values. Return
    /// soon.
    func beginRenewal(of state: AuthState) -> any RenewalInstrument
}

/// Surrounds the steps of one renewal.
public protocol RenewalInstrument: Sendable {
    /// Runs a step: calls the body once, and returns what it returns or throws what it throws.
    ///
    /// The body runs in the caller's isolation. Task-local values that are set around it reach the request to the provider.
    /// Steps of one renewal are nested and never overlap. The body throws `AuthStateError` or `CancellationError` when the step
    /// failed.
    nonisolated(nonsending) func run<R>(
        _ step: RenewalStep, _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R
}

/// A step of a renewal.
public struct RenewalStep: Sendable, Hashable {
    /// The kind of a step. New ones may be added.
    public struct Name: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public var rawValue: String
        /// Makes a kind.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The whole renewal, from the request for it to the result that the callers get. The wait for the lease is the time
        /// before the step `lease` in it.
        public static let renewal = Name(rawValue: "renewal")
        /// The time in which this renewal holds the lease: the steps `redeem` and `save`, and reading the store.
        public static let lease = Name(rawValue: "lease")
        /// One request to the token endpoint; a renewal that repeats it has several.
        public static let redeem = Name(rawValue: "redeem")
        /// One writing of the state to the store.
        public static let save = Name(rawValue: "save")
    }

    /// The kind of the step.
    public let name: Name
    /// The grant type of the request; nil in other steps than `redeem`.
    public let grantType: GrantType?

    package init(_ name: Name, grantType: GrantType? = nil) {
        self.name = name
        self.grantType = grantType
    }
}
