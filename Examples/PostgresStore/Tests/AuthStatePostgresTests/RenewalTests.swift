import AuthStateJOSE
import AuthStateKit
import AuthStatePostgres
import AuthStateStorage
import AuthStateTesting
import Foundation
import Synchronization
import Testing

extension PostgresTests {
    @Suite(.withServer)
    struct Renewals {
        let server: PostgresServer
        let key = freshKey()
        let clock = ManualClock()
        let provider = ScriptedTransport()

        init() throws { server = try .current }

        /// The state of another process, over a store of its own.
        private func state(over store: any AuthStateStore) async throws -> AuthState {
            let service = AuthorizationService(transport: provider, configuration: .init(clock: clock))
            return try await AuthState.restore(at: AuthState.Place(store, key: key, service: service))
        }

        /// A login whose access token has expired.
        private func logIn(in store: any AuthStateStore) async throws {
            _ = await AuthState.signedIn(refreshToken: "first", clock: clock, store: store, key: key)
            clock.advance(by: .seconds(4000))
        }

        @Test("a renewal is two statements and a notification, and leaves no lease", arguments: [false, true])
        func statements(isSealed: Bool) async throws {
            let plain = try PostgresAuthStateStore(
                connectionString: "\(server.admin) dbname=authstate options='-c log_statement=all'")
            let sealed = try SealedAuthStateStore(plain, keys: [SealingKey(bytes: Array(repeating: 7, count: 32))])
            let store: any AuthStateStore = isSealed ? sealed : plain
            try await logIn(in: store)
            provider.enqueue(.tokens("second", refreshToken: "second"), .tokens("third", refreshToken: "third"))
            let state = try await state(over: store)
            _ = try await state.refresh()
            let before = try statements().count
            _ = try await state.refresh()
            #expect(try statements().dropFirst(before) == ["INSERT", "UPDATE", "SELECT"])
            let row = try await server.sql(
                "SELECT lease_owner IS NULL, lease_expires_at IS NULL FROM auth_states WHERE key = \(server.literal(key))"
            )
            #expect(row == "t|t", "the lease is released")
            #expect(try await self.state(over: store).record.refreshToken == "third")
        }

        /// The first words of the prepared statements that had the key among their parameters, by the server's log.
        private func statements() throws -> [String] {
            let hash = try SHA2.sha256(Array(key.rawValue.utf8)).map { String(format: "%02x", $0) }.joined()
            var (words, statement) = ([String](), String?.none)
            for line in try server.log().split(separator: "\n") {
                if let match = line.firstMatch(of: /execute authstate\d+: (\w+)/) {
                    statement = String(match.output.1)
                } else if let word = statement, line.contains("parameters: ") {
                    statement = nil
                    if line.contains(hash) { words.append(word) }
                }
            }
            return words
        }

        @Test("processes that wait for another one's renewal have its tokens, without the lease")
        func adoption() async throws {
            try await logIn(in: try server.store())
            let stores = try (0..<100).map { number in
                AdoptingStore(try server.store("waiter\(number)") { $0.maximumConnections = 1 })
            }
            let listeners = stores.map { store in Task { try await store.base.run() } }
            try await count(stores.count, where: "query = 'LISTEN auth_states'")
            let gate = ScriptedTransport.Gate()
            provider.enqueue(.gated(gate, then: .tokens("second", refreshToken: "second")))
            let busy = try server.store("holder")
            let holder = try await state(over: busy)
            let first = Task { try await holder.freshTokens().accessToken }
            await gate.arrivals()

            let tokens = try await withThrowingTaskGroup(of: (String, ContinuousClock.Instant).self) { group in
                for store in stores {
                    let state = try await state(over: store)
                    group.addTask { (try await state.freshTokens().accessToken, .now) }
                }
                // They have asked for the lease, in vain, and look whether it is free.
                let asked = "application_name LIKE 'waiter%' AND state = 'idle' AND query LIKE 'SELECT version%'"
                try await count(stores.count, where: asked)
                // The holder's save shares transactions with those of other keys.
                let others = (0..<30).map { _ in
                    let key = freshKey()
                    return Task { for _ in 0..<5 { try await busy.increment(key) } }
                }
                gate.open()
                let saved = (try await first.value, ContinuousClock.now)
                var tokens = [saved]
                for try await result in group { tokens.append(result) }
                for other in others { try await other.value }
                let last = tokens.map { $0.1 - saved.1 }.max() ?? .zero
                print("\(stores.count) processes have the tokens of another one, the last of them after \(last)")
                return tokens.map(\.0)
            }
            #expect(tokens == Array(repeating: "second", count: stores.count + 1))
            #expect(provider.requests.count == 1)
            #expect(stores.allSatisfy { $0.adoptions == 1 })
            for listener in listeners { listener.cancel() }
            for listener in listeners { try await listener.value }
        }

        private func count(_ number: Int, where condition: String) async throws {
            try await eventually("\(number) connections where \(condition)") {
                let count = "SELECT count(*) FROM pg_stat_activity WHERE \(condition)"
                return try await server.sql(count) == "\(number)" ? true : nil
            }
        }

        @Test("a renewal's save is heard by listeners, and none is missed that follows it")
        func told() async throws {
            let store = try server.store()
            try await logIn(in: store)
            let listener = try server.store("told")
            let run = Task { try await listener.run() }
            let watch = try await eventually("it listens") { await listener.watch(key) }
            let first = try await eventually("the number stands still") {
                let number = watch.generation
                return number < .max / 2 ? number : nil
            }
            provider.enqueue(.tokens("second", refreshToken: "second"))
            _ = try await state(over: store).refresh()
            try await eventually("the renewal is heard") { watch.generation != first ? true : nil }
            run.cancel()
            try await run.value
        }

        @Test("a lease that was lost is not released with the save of the holder that lost it")
        func released() async throws {
            let stalled = try server.store(clock: ManualClock()) { $0.leaseDuration = .milliseconds(500) }
            let other = try server.store()
            let old = try await other.put("old", key)
            try await stalled.withLease(key, deadline: .seconds(5)) { lease in
                try await other.withLease(key, deadline: .seconds(10)) { _ in
                    _ = try await lease.saveLast(Data("late".utf8), expecting: old)
                    let held = "SELECT lease_owner IS NOT NULL FROM auth_states WHERE key = \(try server.literal(key))"
                    #expect(try await server.sql(held) == "t")
                }
            }
            #expect(try await other.text(key) == "late")
        }
    }
}

/// Counts the waits for the lease that ended without it.
private final class AdoptingStore: AuthStateStore {
    let base: PostgresAuthStateStore
    private let count = Mutex(0)

    init(_ base: PostgresAuthStateStore) { self.base = base }

    var adoptions: Int { count.withLock { $0 } }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await base.load(key) }

    func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { await base.watch(key) }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await base.withLease(
            key, deadline: deadline,
            whileWaiting: {
                let result = try await look()
                if result != nil { count.withLock { $0 += 1 } }
                return result
            }, body)
    }
}
