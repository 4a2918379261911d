import AuthStateKit
import AuthStateStorage
import Foundation
import Synchronization

/// A store that leaves out a protection; the lease itself is left out by `FaultsPlan`, for it is the system's.
struct UnprotectedStore: AuthStateStore {
    private let base: any AuthStateStore
    private let protection: Protection?
    private let first = First()

    /// The content that was read first, for a store that never reads again.
    private final class First: Sendable {
        let stored = Mutex<StoredAuthState?>(nil)
    }

    init(_ base: any AuthStateStore, without protection: Protection?) {
        self.base = base
        self.protection = protection
    }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        let stored = try await base.load(key)
        return first.stored.withLock { first in
            if first == nil || protection != .rereading { first = stored }
            return first
        }
    }

    func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? {
        protection == .rereading ? nil : await base.watch(key)
    }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try await base.withLease(key, deadline: deadline) { lease in
            switch protection {
            case .rereading: try await body(DeafLease(base: lease, first: first.stored.withLock { $0 }))
            case .reservation: try await body(CarelessLease(base: lease))
            default: try await body(lease)
            }
        }
    }

    /// Never reads what others stored, and overwrites it.
    private struct DeafLease: AuthStateLease {
        let base: any AuthStateLease
        let first: StoredAuthState?

        func load() async throws -> StoredAuthState? { first }
        func reserve() async throws { try await base.reserve() }
        func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
            _ = try await base.save(archive, expecting: try await base.load()?.version)
            return first?.version ?? StoredAuthState.Version(rawValue: "")
        }
        func delete(expecting: StoredAuthState.Version?) async throws {
            try await base.delete(expecting: try await base.load()?.version)
        }
    }

    /// Hopes that there will be space.
    private struct CarelessLease: AuthStateLease {
        let base: any AuthStateLease

        var followsCrash: Bool { base.followsCrash }

        func load() async throws -> StoredAuthState? { try await base.load() }
        func reserve() async throws {}
        func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
            try await base.save(archive, expecting: expecting)
        }
        func delete(expecting: StoredAuthState.Version?) async throws { try await base.delete(expecting: expecting) }
    }
}
