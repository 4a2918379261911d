import AuthStateFoundation
import AuthStateOAuth
import AuthStateStorage
import AuthStateSystem

/// Pending redirects in a store, all under one key; every change drops those that have expired.
struct RedirectStorage: Sendable {
    private static let deadline = Duration.seconds(10)

    let store: any AuthStateStore
    let key: AuthStateKey
    let clock: WallClock

    func load() async throws -> [PendingRedirect] {
        guard let stored = try await store.load(key) else { return [] }
        return try RedirectArchive(data: stored.archive).entries
    }

    func add(_ redirect: PendingRedirect) async throws { try await change { $0.append(redirect) } }

    /// Removes an entry; returns false when it was removed before, or has expired.
    func remove(_ redirect: PendingRedirect) async throws -> Bool {
        try await change { entries in
            let count = entries.count
            entries.removeAll { $0.state == redirect.state }
            return entries.count < count
        }
    }

    private func change<R: Sendable>(_ body: @Sendable (inout [PendingRedirect]) -> R) async throws -> R {
        try await store.withLease(key, deadline: Self.deadline) { lease in
            let stored = try await lease.load()
            let before = try stored.map { try RedirectArchive(data: $0.archive) } ?? RedirectArchive()
            var archive = before
            let now = clock.now
            archive.entries.removeAll { $0.expiresAt <= now }
            let result = body(&archive.entries)
            guard archive.entries != before.entries else { return result }
            if archive.entries.isEmpty {
                try await lease.delete(expecting: stored?.version)
            } else {
                _ = try await lease.save(archive.data(), expecting: stored?.version)
            }
            return result
        }
    }
}
