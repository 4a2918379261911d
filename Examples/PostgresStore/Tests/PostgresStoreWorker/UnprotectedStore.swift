import AuthStateKit
import AuthStatePostgres
import AuthStateStorage
import Foundation

/// The same store without its protection, so that the fault test can be seen to fail: no process is excluded, and a
/// save replaces any content.
struct UnprotectedStore: AuthStateStore {
    private let store: PostgresAuthStateStore

    init(_ store: PostgresAuthStateStore) { self.store = store }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await store.load(key) }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await body(NoLease(store: store, key: key))
    }

    private struct NoLease: AuthStateLease {
        let store: PostgresAuthStateStore
        let key: AuthStateKey

        func load() async throws -> StoredAuthState? { try await store.load(key) }

        func reserve() async throws {}

        func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
            try await store.withLease(key, deadline: .seconds(10)) { lease in
                try await lease.save(archive, expecting: try await lease.load()?.version)
            }
        }

        func delete(expecting: StoredAuthState.Version?) async throws {
            try await store.withLease(key, deadline: .seconds(10)) { lease in
                try await lease.delete(expecting: try await lease.load()?.version)
            }
        }
    }
}
