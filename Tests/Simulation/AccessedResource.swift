import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth

/// An access to the resource, which finds the authorization server, registers and logs in by itself.
final class AccessedResource: StateHolder, @unchecked Sendable {
    // Sendable: everything runs on one thread.
    private let process: SimulatedProcess
    private var access: ResourceAccess?
    /// The access's state as it was after the last call.
    private var current: AuthState?
    private var world: World { process.world }

    init(_ process: SimulatedProcess) { self.process = process }

    func start() async throws -> String {
        let access = try makeAccess()
        self.access = access
        try await adopt(access.authState())
        return current == nil ? "nothing is stored" : "restored"
    }

    private func makeAccess() throws -> ResourceAccess {
        var metadata = ClientMetadata()
        metadata.clientName = "Simulation"
        var options = ResourceAccess.Options()
        options.redirectURI = try RedirectURI("https://client.example/callback")
        let (world, number) = (world, process.number)
        options.prepare = { world.prepare(&$0, of: number) }
        if world.plan.breakage == .stepUpsAreMany { options.maximumStepUps = 10 }
        return try ResourceAccess(
            World.resource.absoluteString, clients: [.registering(metadata)],
            login: .presenting(process.userAgent(.default)), store: process.store, key: .default,
            service: process.service, stateOptions: process.options, options: options)
    }

    private func adopt(_ state: AuthState?) {
        guard let state, state !== current else { return }
        current = state
        process.listen(to: state)
    }

    /// Makes a call of the access, then takes its state and notes what became of the logins that the call began.
    private func call<R>(
        isAsked: Bool = false, _ body: nonisolated(nonsending) (ResourceAccess) async throws -> R
    ) async throws -> R {
        let isOwn = world.plan.breakage == .accessesAreNotShared && world.isHarsh
        guard let access = isOwn ? try makeAccess() : access else { throw SingleState.NotRestored() }
        let call = AccessCall(begun: world.scheduler.steps, isAsked: isAsked)
        let result: Result<R, any Error>
        do {
            result = .success(try await Deciding.$access.withValue(call) { try await body(access) })
        } catch { result = .failure(error) }
        if let state = try? await access.authState() { adopt(state) }
        let oracle = world.oracle(.default)
        for decision in call.decisions {
            if let current { oracle.reauthorized(decision, current) } else { oracle.isInDoubt(decision) }
        }
        return try result.get()
    }

    func shown(_ key: AuthStateKey) -> AuthState? { current }

    func state(_ key: AuthStateKey) async throws -> AuthState {
        guard let access else { throw SingleState.NotRestored() }
        let state = try await access.authState()
        adopt(state)
        if let state { return state }
        throw AuthStateError(.notLoggedIn, stage: .usage, "The access has no state.")
    }

    func tokens(_ key: AuthStateKey, _ wish: TokenWish) async throws -> Tokens {
        guard wish == .fresh else { return try await state(key).tokens(wish) }
        return try await call { access in try await access.withFreshToken { $0 } }
    }

    func withTokens<R: Sendable>(
        _ key: AuthStateKey, _ body: nonisolated(nonsending) (Tokens) async throws -> R
    ) async throws -> R {
        let logsIn = world.plan.breakage == .programLogsIn && world.isHarsh
        return try await call { access in
            let result = try await access.withFreshToken(operation: "body", body)
            if logsIn { try await access.logIn() }
            return result
        }
    }

    func send(_ key: AuthStateKey, _ request: TransportRequest) async throws -> TransportResponse {
        try await call { try await $0.performAction(request, operation: nil) }
    }

    func logIn(_ key: AuthStateKey, by login: Login) async throws -> AuthState {
        guard login == .page else { throw AuthStateError(.unsupported, stage: .usage, "Not by an access.") }
        try await call(isAsked: true) { try await $0.logIn() }
        return try await state(key)
    }

    func run() async throws { try await state(.default).run() }
    func drain() async { await current?.drain() }
}

/// A call of an access, with what it led to.
final class AccessCall: @unchecked Sendable {
    // Sendable: everything runs on one thread.
    /// The step at which it began.
    let begun: Int
    /// Whether the program asked for a login.
    let isAsked: Bool
    /// The pages that it opened so far.
    var pages = 0
    /// The logins that it began.
    var decisions: [Int] = []

    init(begun: Int, isAsked: Bool) { (self.begun, self.isAsked) = (begun, isAsked) }
}
