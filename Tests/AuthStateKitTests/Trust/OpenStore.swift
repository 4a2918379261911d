import AuthStateFoundation
import AuthStateKit
import AuthStateStorage

/// A store that other programs can write: it says nothing of who can, which is the cautious answer.
struct OpenStore: AuthStateStore {
    let base = InMemoryAuthStateStore()

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await base.load(key) }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await base.withLease(key, deadline: deadline, whileWaiting: look, body)
    }

    func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { await base.watch(key) }

    func entries(savedBefore date: Date) async throws -> [AuthStateEntry] { try await base.entries(savedBefore: date) }

    /// Overwrites the stored state as another program does.
    func overwrite(_ key: AuthStateKey = .default, with record: AuthState.Record) async throws {
        let data = try AuthStateArchive(record).data()
        try await withLease(key, deadline: .seconds(10)) { lease in
            _ = try await lease.save(data, expecting: try await lease.load()?.version)
        }
    }

    func change(_ key: AuthStateKey = .default, _ change: (inout AuthState.Record) -> Void) async throws {
        guard let stored = try await load(key) else { return }
        var record = try AuthStateArchive(data: stored.archive).record
        change(&record)
        // As if it were decided later than all that is known: what is older is not believed.
        let stamp = AuthState.Stamp(at: nil, after: record.stamps.grant.time + 60_000_000)
        (record.stamps.grant, record.stamps.client) = (stamp, stamp)
        try await overwrite(key, with: record)
    }
}
