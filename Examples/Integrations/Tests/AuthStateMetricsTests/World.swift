import AuthStateKit
import AuthStateMetrics
import AuthStateTesting
import MetricsTestKit

/// A provider, a service, and the metrics of states there.
struct World {
    let provider: OpenIDProvider
    let service = AuthorizationService()
    let client: Client
    let metrics = TestMetrics()
    let store: any AuthStateStore
    var options = AuthState.Options()

    init(store: any AuthStateStore = InMemoryAuthStateStore()) async throws {
        provider = try await OpenIDProvider()
        self.store = store
        client = try await Client(service.discoverConfiguration(issuer: provider.issuer), id: "app")
        let observer = MetricsObserver(factory: metrics)
        (options.observer, options.instrument) = (observer, observer)
    }

    func state(_ key: AuthStateKey = "user-ada") async throws -> AuthState {
        try await AuthState.logIn(
            .browser(AuthorizationRequest(client), DirectUserAgent()),
            at: AuthState.Place(store, key: key, service: service, options: options))
    }

    /// The total of a counter with the given dimensions besides the client's.
    func count(_ name: String, _ dimensions: [(String, String)] = []) -> Int64 {
        let all = [("client_id", "app"), ("token_type", "user")] + dimensions
        return metrics.counterTotal(label: "authstate_" + name, dimensions: all)
    }

    /// Everything that names or describes a metric.
    var text: String {
        let counters = metrics.counters.map { "\($0.label) \($0.dimensions)" }
        let timers = metrics.timers.map { "\($0.label) \($0.dimensions)" }
        return (counters + timers).joined(separator: "\n")
    }
}
