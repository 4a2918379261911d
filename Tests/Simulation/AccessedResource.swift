import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
import AuthStateResource

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

    /// The user of all processes: a login that replaces another one has to be of the same account.
    private static let user = "user"

    private var clients: [ResourceClient] {
        if world.plan.clientIsKnown {
            return [World.issuer, World.otherIssuer].map { .known("client", issuer: $0) }
        }
        var metadata = ClientMetadata()
        metadata.clientName = "Simulation"
        return [.registering(metadata)]
    }

    private func makeAccess(ownTurns: Int? = nil) throws -> ResourceAccess {
        var options = ResourceAccess.Options()
        options.redirectURI = try RedirectURI("https://client.example/callback")
        let (world, number) = (world, process.number)
        options.prepare = { world.prepare(&$0, of: number) }
        if world.plan.grants.isOpenID { options.scopes = [.openID, "read"] }
        if world.plan.breakage == .stepUpsAreMany { options.maximumStepUps = 10 }
        var store = process.store
        store.ownTurns = ownTurns
        return try ResourceAccess(
            World.resource.absoluteString, clients: clients,
            login: .presenting(process.userAgent(.default, as: Self.user)), store: store, key: .default,
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
        guard let access = isOwn ? try makeAccess(ownTurns: world.scheduler.steps) : access else {
            throw SingleState.NotRestored()
        }
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
        switch login {
        case .page: try await call(isAsked: true) { try await $0.logIn() }
        case .redirect: try await logInByRedirects()
        default: throw AuthStateError(.unsupported, stage: .usage, "Not by an access.")
        }
        return try await state(key)
    }

    /// A login of a server's user, whose browser may have several pages at a time.
    private func logInByRedirects() async throws {
        guard let access else { throw SingleState.NotRestored() }
        let redirectURI = try RedirectURI("https://client.example/callback")
        let pending = try await access.beginLogin(redirectURI: redirectURI)
        let page = try await process.userAgent(.default, as: Self.user).prepare(redirectURI: redirectURI, for: .login)
        try await access.completeLogin(pending, callback: page.present(pending.url))
    }

    /// Returns a token, another one than a refused one.
    func token(after refusal: (rejection: TokenRejected, token: String)? = nil) async throws -> String {
        try await call { access in
            guard let refusal else { return try await access.accessToken() }
            return try await access.accessToken(after: refusal.rejection, of: refusal.token)
        }
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
