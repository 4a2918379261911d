import AuthStateJOSE
public import AuthStateKit

/// An observer that counts: for a line at the end of a job, for a health page, and for tests.
///
/// ```swift
/// let counter = AuthStateCounter()
/// options.observer = counter
/// // … the work
/// print(counter.counts)  // 2 renewals, 0 failed; 14 callers waited, 0 denied; 1 changes adopted; 0 store failures
/// ```
///
/// One counter may serve any number of states. A use of fresh tokens is no event and is not counted.
public final class AuthStateCounter: AuthStateObserver {
    /// The counts.
    public struct Counts: Sendable, Hashable {
        /// Renewals that succeeded (`.renewed`).
        public var renewals = 0
        /// Renewals that failed (`.renewalFailed`).
        public var failedRenewals = 0
        /// Callers that had to wait for a renewal (`.tokensRequested`).
        public var waits = 0
        /// Callers that waited and got an error (`.tokensDenied`).
        public var denials = 0
        /// Changes of other processes that were adopted (`.adopted`).
        public var adoptions = 0
        /// Failures of the store (`.readFailed`, `.saveFailed`).
        public var storeFailures = 0
    }

    private let state = Lock(Counts())

    /// Makes a counter.
    public init() {}

    /// The counts so far.
    public var counts: Counts { state.withLock { $0 } }

    /// Counts an event.
    public func authState(_ state: AuthState, did event: AuthStateEvent) {
        let path: WritableKeyPath<Counts, Int>
        switch event {
        case .renewed: path = \.renewals
        case .renewalFailed: path = \.failedRenewals
        case .tokensRequested: path = \.waits
        case .tokensDenied: path = \.denials
        case .adopted: path = \.adoptions
        case .readFailed, .saveFailed: path = \.storeFailures
        case .tokensDelivered, .renewalStarted, .scopeWidened, .loginExpiring, .idTokenUnverified, .lateResultDropped,
            .changed:
            return
        }
        self.state.withLock { $0[keyPath: path] += 1 }
    }
}

extension AuthStateCounter.Counts: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        "\(renewals) renewals, \(failedRenewals) failed; \(waits) callers waited, \(denials) denied; "
            + "\(adoptions) changes adopted; \(storeFailures) store failures"
    }
}
