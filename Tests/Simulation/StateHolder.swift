import AuthStateKit
import AuthStateOAuth

/// The program's side of a process: one state, a pool of them, or a session.
protocol StateHolder: AnyObject, Sendable {
    /// Starts: from what is stored.
    func start() async throws -> String
    /// The state of a key as its readers have it; nil when there is none in memory.
    func shown(_ key: AuthStateKey) -> AuthState?
    /// The state of a key, for a call.
    func state(_ key: AuthStateKey) async throws -> AuthState
    /// Tokens of a key.
    func tokens(_ key: AuthStateKey, _ wish: TokenWish) async throws -> Tokens
    /// Runs a body with tokens of a key, which it may refuse.
    func withTokens<R: Sendable>(
        _ key: AuthStateKey, _ body: nonisolated(nonsending) (Tokens) async throws -> R
    ) async throws -> R
    /// Sends a request to the resource with tokens of a key.
    func send(_ key: AuthStateKey, _ request: TransportRequest) async throws -> TransportResponse
    /// A login, after which the holder has its state.
    func logIn(_ key: AuthStateKey, by login: Login) async throws -> AuthState
    /// Forgets a grant; the provider is not told.
    func clear(_ key: AuthStateKey) async throws
    /// Ends a login.
    func logOut(_ key: AuthStateKey) async throws -> LogoutOutcome
    /// Looks at what is stored.
    func reload(_ key: AuthStateKey) async throws
    /// Saves what could not be saved before.
    func save(_ key: AuthStateKey) async throws
    /// Renews ahead of expiry until the task is cancelled.
    func run() async throws
    /// Waits for the renewals in progress.
    func drain() async
}

/// The tokens that a call asks for.
enum TokenWish: Hashable {
    case fresh
    /// Valid for so many seconds.
    case long(Int)
    /// For a part of the scopes, beside the default ones.
    case side

    static let parameters = RenewalParameters(scopes: [Scope(rawValue: "read")])
}

/// A way in which a user, or the client itself, logs in.
enum Login: Hashable {
    case page, device, machine, workload, registration
    /// A page in two requests of a browser, which an access alone has.
    case redirect

    var action: Action {
        switch self {
        case .page: .authorize
        case .device: .device
        case .machine: .clientCredentials
        case .workload: .assertion
        case .registration: .register
        case .redirect: .redirect
        }
    }
}

extension StateHolder {
    func tokens(_ key: AuthStateKey, _ wish: TokenWish) async throws -> Tokens {
        try await state(key).tokens(wish)
    }
    func withTokens<R: Sendable>(
        _ key: AuthStateKey, _ body: nonisolated(nonsending) (Tokens) async throws -> R
    ) async throws -> R { try await state(key).withFreshToken(.none, policy: nil, body) }
    func send(_ key: AuthStateKey, _ request: TransportRequest) async throws -> TransportResponse {
        try await state(key).performAction(request)
    }
    func clear(_ key: AuthStateKey) async throws { try await state(key).clear() }
    func logOut(_ key: AuthStateKey) async throws -> LogoutOutcome { try await state(key).logOut(.everywhere()) }
    func reload(_ key: AuthStateKey) async throws { try await state(key).reload() }
    func save(_ key: AuthStateKey) async throws { try await state(key).save() }
}

extension AuthState {
    nonisolated(nonsending) func tokens(_ wish: TokenWish) async throws -> Tokens {
        switch wish {
        case .fresh: try await freshTokens()
        case .long(let seconds): try await freshTokens(validFor: .seconds(seconds))
        case .side: try await freshTokens(TokenWish.parameters)
        }
    }
}

/// One state, whose place the state of a login takes.
final class SingleState: StateHolder, @unchecked Sendable {
    // Sendable: everything runs on one thread.
    private let process: SimulatedProcess
    private var current: AuthState?

    init(_ process: SimulatedProcess) { self.process = process }

    func start() async throws -> String {
        let (store, service, options) = (process.store, process.service, process.options)
        do {
            adopt(try await AuthState.restore(at: AuthState.Place(store, service: service, options: options)))
            return "restored"
        } catch let error as AuthStateError where error.code == .notLoggedIn {
            let record = AuthState.Record(Client(process.world.configuration, id: "client"))
            adopt(AuthState(record, service: service, store: store, options: options))
            return "nothing is stored"
        }
    }

    private func adopt(_ state: AuthState) {
        current = state
        process.listen(to: state)
    }

    func shown(_ key: AuthStateKey) -> AuthState? { current }

    func state(_ key: AuthStateKey) async throws -> AuthState {
        guard let current else { throw NotRestored() }
        return current
    }

    func logIn(_ key: AuthStateKey, by login: Login) async throws -> AuthState {
        let registered = current?.record.lastRegistrationResponse
        if case .page = login, let current, let registered {
            try await current.authorize(
                process.world.request(of: process.number, clientID: registered.clientID),
                presenting: process.userAgent(key))
            return current
        }
        let made = try await process.newState(key, by: login)
        adopt(made)
        return made
    }

    func run() async throws { try await state(.default).run() }
    func drain() async { await current?.drain() }

    /// The store could not be read so far.
    struct NotRestored: Error {}
}
