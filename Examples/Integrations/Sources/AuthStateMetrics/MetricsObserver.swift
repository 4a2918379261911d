public import AuthStateKit
public import CoreMetrics

/// Counts the events of states, and measures the steps of renewals, with swift-metrics.
///
/// The names and dimensions follow Duende's access token management: `token_retrieved` and `token_retrieval_failed` with
/// `client_id`, `token_type` and `error`. Neither names nor dimensions contain a user, a key or a token.
///
/// ```swift
/// let metrics = MetricsObserver()
/// options.observer = metrics
/// options.instrument = metrics // the times
/// ```
///
/// | Metric | Kind | Dimensions besides `client_id`, `token_type` |
/// |---|---|---|
/// | `token_retrieved`: a renewal succeeded | counter | |
/// | `token_retrieval_failed`: a renewal failed | counter | `error`, `kind` |
/// | `token_waits`: a caller had to wait for a renewal | counter | `joined` |
/// | `token_denied`: such a caller got an error | counter | `error`, `kind` |
/// | `state_adopted`: another process's change was adopted | counter | |
/// | `state_read_failed`, `state_save_failed`: the store failed | counter | `error`, `kind` |
/// | `id_token_unverified`: the provider's keys could not be reached | counter | `error`, `kind` |
/// | `login_expiring`: the login ends soon | counter | |
/// | `renewal_dropped`: a result came after a login or logout | counter | |
/// | `scope_widened`: the provider granted more than was asked for | counter | |
/// | `renewal_duration`: the whole renewal, the wait for the lease included | timer | `error` |
/// | `lease_duration`: the time in which the lease was held | timer | `error` |
/// | `token_request_duration`: one request to the token endpoint | timer | `error` |
/// | `save_duration`: one writing to the store | timer | `error` |
///
/// A use of fresh tokens is no event and has no metric.
public struct MetricsObserver: AuthStateObserver {
    let output: Output

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of every metric's name.
    ///   - factory: The maker of the metrics. Bootstrap `MetricsSystem` before this default is used.
    public init(prefix: String = "authstate_", factory: any MetricsFactory = MetricsSystem.factory) {
        output = Output(prefix: prefix, factory: factory)
    }

    /// Counts an event.
    public func authState(_ state: AuthState, did event: AuthStateEvent) {
        guard let count = Count(event) else { return }
        output.count(count.name, state.dimensions + count.dimensions)
    }
}

/// The counter of an event.
private struct Count {
    var name: String
    var dimensions: [(String, String)] = []

    init?(_ event: AuthStateEvent) {
        switch event {
        case .renewed: self.init("token_retrieved")
        case .renewalFailed(let error): self.init("token_retrieval_failed", error)
        case .tokensRequested(let joined): self.init("token_waits", [("joined", "\(joined)")])
        case .tokensDenied(let error): self.init("token_denied", error)
        case .adopted: self.init("state_adopted")
        case .readFailed(let error): self.init("state_read_failed", error)
        case .saveFailed(let error): self.init("state_save_failed", error)
        case .idTokenUnverified(let error): self.init("id_token_unverified", error)
        case .lateResultDropped: self.init("renewal_dropped")
        case .scopeWidened: self.init("scope_widened")
        case .loginExpiring: self.init("login_expiring")
        // Their number follows from the others.
        case .tokensDelivered, .renewalStarted, .changed: return nil
        }
    }

    private init(_ name: String, _ dimensions: [(String, String)] = []) {
        self.name = name
        self.dimensions = dimensions
    }

    private init(_ name: String, _ error: AuthStateError) {
        self.init(name, [("error", error.code.rawValue), ("kind", error.kind.rawValue)])
    }
}

extension AuthState {
    /// The dimensions that every metric of a state has.
    nonisolated var dimensions: [(String, String)] {
        let record = self.record
        // A provider may issue an identifier for each user or device: those would make a metric each.
        let client = record.lastRegistrationResponse == nil ? record.client.id : "registered"
        return [("client_id", client), ("token_type", record.machineGrant == nil ? "user" : "client_credentials")]
    }
}
