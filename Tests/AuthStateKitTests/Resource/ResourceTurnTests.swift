import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateResource

/// Each process is an access of its own over the same store.
@Suite(.timeLimit(.minutes(5)))
struct ResourceTurnTests {
    /// A process, and the pages that it shows.
    final class Process: Sendable {
        let access: ResourceAccess
        let agent: HeldUserAgent
        let waits = Counter()

        init(_ agent: HeldUserAgent, _ access: (Counter) throws -> ResourceAccess) rethrows {
            (self.agent, self.access) = (agent, try access(waits))
        }

        func status(_ request: TransportRequest) -> Task<Int, any Error> {
            Task { [access] in try await access.performAction(request).status }
        }
        var isWaiting: Bool { waits.value == 1 }
    }

    /// How often a process was told to wait.
    final class Counter: Sendable {
        private let count = Lock(0)
        var value: Int { count.withLock { $0 } }
        func increase() { count.withLock { $0 += 1 } }
    }

    enum Shelf: CaseIterable { case memory, file, sealed }

    private let world: ResourceWorld
    private let folder: ScratchFolder

    init() async throws {
        world = try await ResourceWorld {
            $0.protectedResource.scopes = ["api"]
            $0.protectedResource.scopesSupported = ["api", "email", "profile"]
        }
        folder = try ScratchFolder()
    }

    private func process(
        _ agent: HeldUserAgent = HeldUserAgent(), _ store: (any AuthStateStore)? = nil, key: AuthStateKey? = "key",
        _ change: (inout ResourceAccess.Options) -> Void = { _ in }
    ) throws -> Process {
        try Process(agent) { waits in
            try world.access(login: .presenting(agent), store: store, key: key) {
                $0.onWaitingForLogin = { waits.increase() }
                change(&$0)
            }
        }
    }

    private func failedLogin() async throws -> AuthState.Record? {
        try await world.store.load("key login").map { try AuthStateArchive(data: $0.archive).record }
    }

    @Test("one page, one client and one login serve all of them", arguments: Shelf.allCases)
    func onePage(_ shelf: Shelf) async throws {
        let key = try SealingKey(id: "key", bytes: Array(1...32))
        let processes = try (0..<5).map { _ in
            let store: any AuthStateStore =
                switch shelf {
                case .memory: world.store
                case .file: FileAuthStateStore(folder: folder.path)
                case .sealed: try SealedAuthStateStore(FileAuthStateStore(folder: folder.path), keys: [key])
                }
            return try process(HeldUserAgent(), store)
        }
        let first = processes[0].status(world.get())
        await processes[0].agent.gate.arrivals()
        let others = processes.dropFirst().map { $0.status(world.get()) }
        try await eventually { processes.dropFirst().allSatisfy(\.isWaiting) }
        processes[0].agent.gate.open()
        for call in [first] + others { #expect(try await call.value == 200) }
        #expect(processes.map(\.agent.count) == [1, 0, 0, 0, 0] && processes[0].waits.value == 0)
        #expect(processes.map(\.isWaiting) == [false, true, true, true, true])
        #expect(world.provider.requestCount(.registration) == 1 && world.provider.requestCount(.token) == 1)
        // The turn leaves nothing behind: the login, and the registration, have a file each.
        if shelf != .memory {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.count { $0.hasSuffix(".json") } == 2)
        }
    }

    @Test("the next one shows its page when the first is cancelled, or has no browser", arguments: [true, false])
    func takeover(_ isCancelled: Bool) async throws {
        let first = try process(HeldUserAgent(isCancelled ? .logsIn : .seesNothing))
        let second = try process(HeldUserAgent(isOpen: true))
        let ending = first.status(world.get())
        await first.agent.gate.arrivals()
        let waiting = second.status(world.get())
        try await eventually { second.isWaiting }
        #expect(second.agent.count == 0)
        if isCancelled { ending.cancel() } else { first.agent.gate.open() }
        await #expect(throws: (any Error).self) { try await ending.value }
        #expect(try await waiting.value == 200)
        #expect(second.agent.count == 1)
        #expect(try await failedLogin() == nil)
    }

    @Test("a refusal ends all that wait, without a second page; one that begins later shows its own")
    func refusal() async throws {
        // Twice: an error that is the same as the one before is a new one too.
        for _ in 0..<2 {
            let first = try process(HeldUserAgent(base: DirectUserAgent(.denying)))
            let others = try (0..<3).map { _ in try process() }
            let refused = Task { await authError { try await first.access.performAction(world.get()) } }
            await first.agent.gate.arrivals()
            let waiting = others.map { other in
                Task { await authError { try await other.access.performAction(world.get()) } }
            }
            try await eventually { others.allSatisfy(\.isWaiting) }
            first.agent.gate.open()
            let error = await refused.value
            #expect(error?.code == .accessDenied)
            for call in waiting {
                let shared = await call.value
                #expect(shared?.code == error?.code && shared?.message == error?.message)
                #expect(shared?.hint == error?.hint && shared?.stage == error?.stage)
            }
            #expect(others.allSatisfy { $0.agent.count == 0 })
        }
        let record = try await failedLogin()
        // No list shows it, and a sweep removes it.
        #expect(record?.isForgettable == true && record?.authorizationError?.code == .accessDenied)
        let later = try process(HeldUserAgent(isOpen: true))
        #expect(try await later.status(world.get()).value == 200)
        #expect(later.agent.count == 1)
        #expect(try await failedLogin() == nil)
    }

    @Test("the wait has an end, with an error that says what to do")
    func bound() async throws {
        let (first, second) = (try process(), try process { $0.maximumLoginWait = .zero })
        let holding = first.status(world.get())
        await first.agent.gate.arrivals()
        let error = await authError { try await second.access.performAction(world.get()) }
        #expect(error?.code == .storeLocked && error?.stage == .authorization)
        #expect(error?.message.contains(world.url.absoluteString) == true && error?.hint?.contains("page") == true)
        #expect(second.isWaiting && second.agent.count == 0)
        first.agent.gate.open()
        #expect(try await holding.value == 200)
        #expect(try await failedLogin() == nil)
    }

    @Test(
        "a login that the program asks for adopts the one that it waited for, unless that asked for fewer scopes",
        arguments: [true, false])
    func explicit(_ isEnough: Bool) async throws {
        let first = try process { $0.scopes = ["api", "email"] }
        let second = try process(HeldUserAgent(isOpen: true)) { $0.scopes = isEnough ? ["email"] : ["profile"] }
        let holding = Task { try await first.access.logIn() }
        await first.agent.gate.arrivals()
        let waiting = Task { try await second.access.logIn() }
        try await eventually { second.isWaiting }
        #expect(second.agent.count == 0)
        first.agent.gate.open()
        try await holding.value
        try await waiting.value
        #expect(second.agent.count == (isEnough ? 0 : 1))
        let scopes = try await second.access.authState()?.record.scope?.scopes
        #expect(scopes?.contains(isEnough ? "email" : "profile") == true)
    }

    private static let strength = #"insufficient_user_authentication", acr_values="gold", max_age="60"#

    @Test(
        "a login because of an error adopts the one that it waited for, unless that asked for less than the challenge demands",
        arguments: [
            (#"insufficient_scope", scope="email"#, #"insufficient_scope", scope="email"#, true),
            (#"insufficient_scope", scope="profile"#, #"insufficient_scope", scope="email"#, false),
            (#"insufficient_user_authentication", acr_values="gold"#, #"insufficient_scope", scope="email"#, false),
            (strength, strength, true), (#"insufficient_user_authentication", max_age="59"#, strength, false),
        ])
    func because(_ challenge: String, _ other: String, _ isEnough: Bool) async throws {
        func failure(_ challenge: String) async throws -> AuthStateError? {
            let access = try world.access(login: .elsewhere, key: "key")
            let line = #"Bearer error="\#(challenge)""#
            return await authError {
                try await access.withFreshToken { _ in throw TokenRejected(challenges: [line], url: world.url) }
            }
        }
        _ = try await process(HeldUserAgent(isOpen: true)).access.performAction(world.get())
        let (error, other) = try await (failure(challenge), failure(other))
        let (first, second) = (try process(), try process(HeldUserAgent(isOpen: true)))
        let holding = Task { try await first.access.logIn(because: other) }
        await first.agent.gate.arrivals()
        let waiting = Task { try await second.access.logIn(because: error) }
        try await eventually { second.isWaiting }
        first.agent.gate.open()
        try await holding.value
        try await waiting.value
        #expect(second.agent.count == (isEnough ? 0 : 1))
    }

    @Test("a call that joins a login for other rights asks for its own strength afterwards")
    func strengthAfterRights() async throws {
        _ = try await process(HeldUserAgent(isOpen: true)).access.performAction(world.get())
        let process = try process()
        func calling(_ challenge: String, until isEnough: @escaping @Sendable (Tokens) -> Bool) -> Task<Void, any Error>
        {
            Task {
                try await process.access.withFreshToken(operation: challenge) { tokens in
                    if isEnough(tokens) { return }
                    throw TokenRejected(challenges: [#"Bearer error="\#(challenge)""#], url: world.url)
                }
            }
        }
        let rights = calling(#"insufficient_scope", scope="email"#) { $0.scope?.scopes.contains("email") == true }
        await process.agent.gate.arrivals()
        let refusals = Counter()
        let strong = calling(Self.strength) { _ in
            refusals.increase()
            return world.asked.last?["acr_values"] == "gold"
        }
        try await eventually { refusals.value == 1 }
        process.agent.gate.open()
        try await rights.value
        try await strong.value
        #expect(process.agent.count == 2)
    }

    @Test("a login for other rights that another process makes does not count as one that the call made")
    func stepUps() async throws {
        _ = try await process(HeldUserAgent(isOpen: true)).access.performAction(world.get())
        func needing(_ scope: String, _ process: Process) -> Task<Void, any Error> {
            let line = #"Bearer error="insufficient_scope", scope="\#(scope)""#
            return Task {
                try await process.access.withFreshToken(operation: "read") { tokens in
                    if tokens.scope?.scopes.contains(Scope(scope)) == true { return }
                    throw TokenRejected(challenges: [line], url: world.url)
                }
            }
        }
        let first = try process { $0.maximumStepUps = 1 }
        let second = try process(HeldUserAgent(isOpen: true)) { $0.maximumStepUps = 1 }
        let holding = needing("email", first)
        await first.agent.gate.arrivals()
        let waiting = needing("profile", second)
        try await eventually { second.isWaiting }
        first.agent.gate.open()
        try await holding.value
        try await waiting.value
        #expect(first.agent.count == 1 && second.agent.count == 1)
    }

    @Test("a store for one key has no room for turns: each process shows its page, and works")
    func oneKey() async throws {
        let processes = try (0..<2).map { _ in
            try process(HeldUserAgent(), FileAuthStateStore(file: folder["login.json"]), key: .default)
        }
        let calls = processes.map { $0.status(world.get()) }
        for process in processes { await process.agent.gate.arrivals() }
        for process in processes { process.agent.gate.open() }
        for call in calls { #expect(try await call.value == 200) }
        #expect(processes.allSatisfy { !$0.isWaiting })
    }
}
