import AuthStateKit

/// The states of everybody who is signed in, loaded when they are asked for.
actor UserStates {
    nonisolated let store: any AuthStateStore
    nonisolated let service: AuthorizationService
    nonisolated let credential: ClientCredential
    nonisolated let options: AuthState.Options
    private var states: [AuthStateKey: AuthState] = [:]

    init(
        store: any AuthStateStore, service: AuthorizationService, credential: ClientCredential,
        options: AuthState.Options
    ) {
        self.store = store
        self.service = service
        self.credential = credential
        self.options = options
    }

    func state(for key: AuthStateKey) async throws -> AuthState? {
        if let state = states[key] { return state }
        do {
            let state = try await AuthState.restore(
                from: store, key: key, credential: credential, service: service, options: options)
            // Somebody else may have loaded it meanwhile.
            states[key] = states[key] ?? state
            return states[key]
        } catch let error as AuthStateError where error.code == .notLoggedIn {
            return nil
        }
    }

    func add(_ state: AuthState) { states[state.key] = state }

    func remove(_ state: AuthState) async throws {
        try await state.clear()
        states[state.key] = nil
    }

    func drain() async { for state in states.values { await state.drain() } }
}
