import AuthStateKit
import AuthStateStorage
import Foundation
import Synchronization

/// A store in memory that fails to save once it is broken.
final class BrokenStore: AuthStateStore {
    private struct Lease: AuthStateLease {
        let base: any AuthStateLease
        let store: BrokenStore

        func load() async throws -> StoredAuthState? { try await base.load() }
        func reserve() async throws { try await base.reserve() }
        func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
            try store.check()
            return try await base.save(archive, expecting: expecting)
        }
        func delete(expecting: StoredAuthState.Version?) async throws {
            try store.check()
            try await base.delete(expecting: expecting)
        }
    }

    private let base = InMemoryAuthStateStore()
    private let isBroken = Mutex(false)

    func breakSaves() { isBroken.withLock { $0 = true } }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await base.load(key) }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await base.withLease(key, deadline: deadline) { try await body(Lease(base: $0, store: self)) }
    }

    func entries(savedBefore date: Date) async throws -> [AuthStateEntry] { try await base.entries(savedBefore: date) }

    private func check() throws {
        guard isBroken.withLock({ $0 }) else { return }
        throw AuthStateError(.storeUnwritable, stage: .store, "The disk is full.")
    }
}
