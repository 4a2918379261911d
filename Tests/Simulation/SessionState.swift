import AuthStateApp
import AuthStateKit
import AuthStateOAuth

/// A session of an app: its logic runs on the main actor, whose jobs the scheduler has too.
final class SessionState: StateHolder, @unchecked Sendable {
    // Sendable: everything runs on one thread.
    private let process: SimulatedProcess
    private var session: AuthSessionCore?
    /// The session's state as it was at the session's last change.
    private var current: AuthState?

    init(_ process: SimulatedProcess) { self.process = process }

    func start() async throws -> String {
        let session = await makeSession()
        self.session = session
        await session.restore()
        await follow(session)
        return current == nil ? "nothing is stored" : "restored"
    }

    @MainActor private func makeSession() -> AuthSessionCore {
        let world = process.world
        var configuration = AuthSessionConfiguration(
            .configuration(world.configuration), clientID: "client",
            redirectURI: try? RedirectURI("https://client.example/callback"), scopes: [.openID])
        configuration.readsUserInfo = false
        let number = process.number
        configuration.prepare = { world.prepare(&$0, of: number) }
        let session = AuthSessionCore(
            configuration, userAgent: process.userAgent(.default), service: process.service, store: process.store,
            options: process.options)
        session.onChange = { [weak self, weak session] _ in
            if let self, let session { self.follow(session) }
        }
        return session
    }

    @MainActor private func follow(_ session: AuthSessionCore) {
        guard session.authState !== current else { return }
        current = session.authState
        if let current { process.listen(to: current) }
    }

    private func running() throws -> AuthSessionCore {
        guard let session else { throw SingleState.NotRestored() }
        return session
    }

    func shown(_ key: AuthStateKey) -> AuthState? { current }

    func state(_ key: AuthStateKey) async throws -> AuthState {
        if let state = try await running().authState { return state }
        throw AuthStateError(.notLoggedIn, stage: .usage, "The session has no state.")
    }

    func logIn(_ key: AuthStateKey, by login: Login) async throws -> AuthState {
        // A session knows one way to log in.
        guard login == .page else { throw AuthStateError(.unsupported, stage: .usage, "Not by a session.") }
        try await running().signIn()
        return try await state(key)
    }

    func clear(_ key: AuthStateKey) async throws { try await state(key).clear() }
    func logOut(_ key: AuthStateKey) async throws -> LogoutOutcome {
        try await running().signOut(endingProviderSession: false)
    }
    func reload(_ key: AuthStateKey) async throws { try await running().restore() }
    func run() async throws { try await state(.default).run() }
    func drain() async { if let state = try? await state(.default) { await state.drain() } }
}
