import AuthStateApp
import AuthStateTesting

/// An app's session with a provider that knows Ada and Bob.
@MainActor
struct SessionFixture {
    let provider: ProviderFixture
    let store: any AuthStateStore
    let core: AuthSessionCore
    let history = History()

    /// Every state that was shown, in order.
    @MainActor
    final class History {
        private(set) var states: [AuthSessionState] = []
        func add(_ state: AuthSessionState) { states.append(state) }
    }

    init(
        agent: any ExternalUserAgent = DirectUserAgent(), clock: ManualClock? = nil,
        store: any AuthStateStore = InMemoryAuthStateStore(), key: AuthStateKey = .default,
        provider: ProviderFixture? = nil, _ change: (inout AuthSessionConfiguration) -> Void = { _ in }
    ) async throws {
        let fixture: ProviderFixture
        if let provider {
            fixture = provider
        } else {
            fixture = try await ProviderFixture(clock: clock, waits: clock != nil) { @Sendable in $0.users.append(.bob)
            }
        }
        self.provider = fixture
        self.store = store
        var configuration = AuthSessionConfiguration(.issuer(fixture.provider.issuer), clientID: "app")
        change(&configuration)
        core = AuthSessionCore(configuration, userAgent: agent, service: fixture.service, store: store, key: key)
        core.onChange = { [history] in history.add($0) }
    }

    var state: AuthSessionState { core.state }

    func stored(_ key: AuthStateKey = .default) async throws -> AuthState.Record? { try await store.login(key) }

    /// Another session with what this one stored, as after a new start of the app.
    func restarted(agent: any ExternalUserAgent = DirectUserAgent()) async throws -> SessionFixture {
        try await SessionFixture(agent: agent, store: store, provider: provider)
    }
}

extension OpenIDProvider.User {
    /// A user other than Ada; the password is `bob`.
    static let bob = OpenIDProvider.User(
        subject: "2", name: "bob", password: "bob",
        claims: ["name": "Bob Frank", "email": "bob@example.com", "preferred_username": "bob"])
}
