import AuthStateKit
import AuthStateServer
import AuthStateTesting
import Synchronization

/// A provider, a pool with one user whose tokens are about to expire, and a clock that moves both.
struct World {
    let clock = ManualClock()
    let provider: OpenIDProvider
    let pool: AuthStatePool
    let store: InMemoryAuthStateStore
    let events = Events()

    init() async throws {
        store = InMemoryAuthStateStore(clock: clock.wallClock)
        provider = try await OpenIDProvider(clock: clock.wallClock)
        let service = AuthorizationService(configuration: .init(clock: clock))
        var options = AuthStatePool.Options()
        options.renewalSpread = 0
        pool = AuthStatePool(store: store, service: service, options: options)
        let client = try await Client(service.discoverConfiguration(issuer: provider.issuer), id: "app")
        try await pool.logIn(.browser(AuthorizationRequest(client), DirectUserAgent()), for: "ada")
    }

    /// Holds the renewal that the running pool begins, and returns when the provider has its request.
    func beginRenewal() async -> ScriptedTransport.Gate {
        let gate = ScriptedTransport.Gate()
        provider.inject(.held(gate), at: .token)
        await clock.sleepers()
        clock.advance(by: .seconds(3545))
        await gate.arrivals()
        return gate
    }

    /// The refresh token in the store.
    func storedRefreshToken() async throws -> String? {
        try await AuthState.restore(at: AuthState.Place(store, key: "ada", service: pool.service)).record.refreshToken
    }
}

/// The order of what happened.
final class Events: Sendable {
    private let list = Mutex<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func append(_ event: String) { list.withLock { $0.append(event) } }
}
