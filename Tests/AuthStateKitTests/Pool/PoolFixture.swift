import AuthStateFoundation
import AuthStateJOSE
import AuthStateStorage
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

/// A pool over a store that counts, with a provider that can be away, and a manual clock.
final class PoolFixture: Sendable {
    let clock = ManualClock()
    let store = PoolStore()
    let provider: PoolProvider
    let service: AuthorizationService
    let pool: AuthStatePool

    init(lifetime: Double = 3600, _ change: (inout AuthStatePool.Options) -> Void = { _ in }) {
        provider = PoolProvider(lifetime: lifetime)
        let provider = provider
        service = AuthorizationService(
            transport: ScriptedTransport(then: .dynamic { try await provider.answer($0) }),
            configuration: .init(clock: clock))
        var options = AuthStatePool.Options()
        options.state.renewalRetries = 0
        change(&options)
        // Even steps through the unit interval, so that a test is the same each time.
        let steps = Lock(0)
        pool = AuthStatePool(
            store: store, service: service, options: options,
            jitter: {
                steps.withLock { step in
                    step += 1
                    return (Double(step) * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1)
                }
            },
            credential: { _ in nil })
    }

    /// The record of a user who has just logged in.
    func record(_ key: AuthStateKey, lifetime: Double = 3600) throws -> AuthState.Record {
        AuthState.Record(
            Client(
                ProviderConfiguration(
                    authorizationEndpoint: URL(string: "https://op.example/authorize"),
                    tokenEndpoint: try #require(URL(string: "https://op.example/token"))), id: "client")
        ).applying(
            .loggedIn(
                nil,
                TokenResponse(
                    accessToken: "\(key)-0", issuedAt: clock.date,
                    accessTokenExpirationDate: clock.date.addingTimeInterval(lifetime), refreshToken: "\(key)-r0")))
    }

    /// Puts a login into the store, as another process does.
    func logIn(_ key: AuthStateKey, lifetime: Double = 3600) async throws {
        try await save(record(key, lifetime: lifetime), key)
    }

    func save(_ record: AuthState.Record, _ key: AuthStateKey) async throws {
        let data = try AuthStateArchive(record).data()
        try await store.inner.withLease(key, deadline: .seconds(10)) { lease in
            _ = try await lease.save(data, expecting: try await lease.load()?.version)
        }
    }

    /// A state of a login that was made elsewhere in this process, and saved.
    func newLogin(_ key: AuthStateKey) async throws -> AuthState {
        let record = try record(key)
        let state = AuthState(
            AuthState.Record(record.client), service: service, store: store, key: key, options: pool.options.state)
        try await state.update(with: record.lastTokenResponse)
        return state
    }

    func running(_ body: () async throws -> Void) async throws {
        let service = Task { [pool] in await pool.run() }
        do { try await body() } catch {
            service.cancel()
            throw error
        }
        service.cancel()
        try await bounded { await service.value }
    }

    /// Moves the clock, and waits until the pool has done what follows from it.
    func tick(_ count: Int = 1, after pause: Duration = .seconds(1)) async throws {
        for _ in 0..<count {
            await clock.sleepers(1)
            let before = pool.ticks
            clock.advance(by: pause)
            try await eventually { self.pool.ticks > before && self.pool.statistics.dueRenewals == 0 }
        }
    }
}

extension AuthStatePool {
    /// The number of times that the pool has looked at all its states.
    var ticks: Int { contents.withLock { $0.table.tick } }
}

func expectCancelled<R: Sendable>(_ task: Task<R, any Error>) async throws {
    try await bounded { _ = await #expect(throws: CancellationError.self) { try await task.value } }
}

/// A store in memory that counts readings, holds them back, and fails.
final class PoolStore: AuthStateStore {
    var mayBeWrittenByOthers: Bool { false }
    private struct State {
        var loads: [AuthStateKey: Int] = [:]
        var gates: [AuthStateKey: ScriptedTransport.Gate] = [:]
        var unreadable: Set<AuthStateKey> = []
        var isReadOnly = false
        var saveGate: ScriptedTransport.Gate?
        var leases = 0
        var mostLeases = 0
    }

    let inner = InMemoryAuthStateStore()
    private let state = Lock(State())

    func loads(_ key: AuthStateKey) -> Int { state.withLock { $0.loads[key] ?? 0 } }
    func hold(_ key: AuthStateKey, at gate: ScriptedTransport.Gate) { state.withLock { $0.gates[key] = gate } }
    func setUnreadable(_ keys: Set<AuthStateKey>) { state.withLock { $0.unreadable = keys } }
    /// The most leases that were held at once.
    var mostLeases: Int { state.withLock { $0.mostLeases } }
    func holdSaves(at gate: ScriptedTransport.Gate) { state.withLock { $0.saveGate = gate } }
    func setReadOnly(_ isReadOnly: Bool) { state.withLock { $0.isReadOnly = isReadOnly } }

    /// Reads, then waits at the gate: what it returns may be old by then.
    func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        let (gate, isUnreadable) = state.withLock { state in
            state.loads[key, default: 0] += 1
            return (state.gates[key], state.unreadable.contains(key))
        }
        let stored = try await inner.load(key)
        try await gate?.pass()
        if isUnreadable { throw AuthStateError(.storeUnreadable, stage: .store, "unreadable") }
        return stored
    }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await inner.withLease(key, deadline: deadline) { lease in
            state.withLock { state in
                state.leases += 1
                state.mostLeases = max(state.mostLeases, state.leases)
            }
            defer { state.withLock { $0.leases -= 1 } }
            return try await body(Lease(inner: lease, store: self))
        }
    }

    private struct Lease: AuthStateLease {
        let inner: any AuthStateLease
        let store: PoolStore

        func load() async throws -> StoredAuthState? { try await inner.load() }
        func reserve() async throws { try await inner.reserve() }
        func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
            try check()
            try await store.state.withLock { $0.saveGate }?.pass()
            return try await inner.save(archive, expecting: expecting)
        }
        func delete(expecting: StoredAuthState.Version?) async throws {
            try check()
            try await inner.delete(expecting: expecting)
        }
        private func check() throws {
            guard store.state.withLock({ $0.isReadOnly }) else { return }
            throw AuthStateError(.storeUnwritable, stage: .store, "read-only")
        }
    }
}

/// A token endpoint that rotates, counts, and can be away.
final class PoolProvider: Sendable {
    enum Condition: Sendable {
        case well, away
        case busy(retryAfter: Int)
        case refusing(String)
    }

    private struct State {
        var condition = Condition.well
        var gate: ScriptedTransport.Gate?
        var spent: [String] = []
        var active = 0
        var mostActive = 0
    }

    private let lifetime: Double
    private let state = Lock(State())

    init(lifetime: Double) { self.lifetime = lifetime }

    /// The refresh tokens of all requests, answered or not.
    var spent: [String] { state.withLock { $0.spent } }
    var mostActive: Int { state.withLock { $0.mostActive } }
    func become(_ condition: Condition) { state.withLock { $0.condition = condition } }
    func hold(at gate: ScriptedTransport.Gate?) { state.withLock { $0.gate = gate } }

    func answer(_ request: TransportRequest) async throws -> TransportResponse {
        let form = request.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) }
        let token = form?["refresh_token"] ?? ""
        let (condition, gate) = state.withLock { state in
            state.spent.append(token)
            state.active += 1
            state.mostActive = max(state.mostActive, state.active)
            return (state.condition, state.gate)
        }
        defer { state.withLock { $0.active -= 1 } }
        try await gate?.pass()
        switch condition {
        case .well: break
        case .away: throw TransportError(.unreachable, "away", requestMayHaveBeenSent: false)
        case .busy(let seconds): return TransportResponse(status: 503, headers: ["Retry-After": "\(seconds)"])
        case .refusing(let code): return reply(400, #"{"error":"\#(code)"}"#)
        }
        // user-r3 becomes user-4 and user-r4.
        let parts = token.split(separator: "-")
        let number = Int(parts.last?.dropFirst() ?? "") ?? 0
        let user = parts.dropLast().joined(separator: "-")
        return reply(
            200,
            """
            {"access_token":"\(user)-\(number + 1)","token_type":"Bearer","expires_in":\(Int(lifetime)),\
            "refresh_token":"\(user)-r\(number + 1)"}
            """)
    }

    private func reply(_ status: Int, _ json: String) -> TransportResponse {
        TransportResponse(status: status, headers: ["Content-Type": "application/json"], body: Data(json.utf8))
    }
}

/// Random numbers that repeat with their seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
