import AuthStateKit
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One store with one key for all processes; each has it through a `StoreHandle` of its own.
final class SimulatedStore: @unchecked Sendable {
    // Sendable: everything runs on one thread.

    /// What is stored, and everything that ever was.
    private(set) var content: StoredAuthState?
    private(set) var history: [StoredAuthState] = []
    /// Another number with each change: what a watch tells.
    private(set) var generation: UInt64 = 0
    /// Who holds the lease.
    var holder: SimulatedLease?
    /// Whether a holder died after `reserve`.
    var followsCrash = false
    /// Whether processes may watch.
    let isWatched: Bool
    private var versions = 0

    init(isWatched: Bool) { self.isWatched = isWatched }

    func put(_ archive: Data?) {
        generation += 1
        versions += 1
        content = archive.map { StoredAuthState(archive: $0, version: .init(rawValue: "v\(versions)")) }
        if let content { history.append(content) }
    }

    /// What a process that died leaves: the kernel gives its lease back.
    func release(heldBy process: Int) {
        guard let lease = holder, lease.process == process else { return }
        followsCrash = lease.hasReserved
        holder = nil
    }

    /// The lease ends before the work under it does, as that of a store for several machines can.
    func loseLease() {
        holder?.isLost = true
        holder = nil
    }

    static func error(_ code: AuthStateError.Code, _ message: String) -> AuthStateError {
        AuthStateError(code, stage: .store, message)
    }
}

/// The store as one process has it; every call waits for the schedule, and may go wrong.
struct StoreHandle: AuthStateStore {
    let world: World
    let process: Int

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await world.load(process) }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        let lease = try await world.acquireLease(process, deadline: deadline / .seconds(1))
        defer { world.releaseLease(lease) }
        return try await body(lease)
    }

    func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? {
        world.store.isWatched ? StoreWatch(store: world.store) : nil
    }
}

/// Tells of every change at once.
private final class StoreWatch: AuthStateWatch {
    private let store: SimulatedStore
    init(store: SimulatedStore) { self.store = store }
    var generation: UInt64 { store.generation }
}

/// The lease of one process.
final class SimulatedLease: AuthStateLease, @unchecked Sendable {
    // Sendable: everything runs on one thread.
    let world: World
    let process: Int
    let followsCrash: Bool
    var hasReserved = false
    /// Whether another process may acquire the lease although the work goes on.
    var isLost = false {
        didSet { if isLost { lostAt = world.scheduler.now } }
    }
    private(set) var lostAt = Double.infinity

    init(world: World, process: Int, followsCrash: Bool) {
        (self.world, self.process, self.followsCrash) = (world, process, followsCrash)
    }

    func load() async throws -> StoredAuthState? { try await world.load(process, isUnderLease: true) }

    func reserve() async throws {
        _ = try await world.call(process, .reserve, "reserve")
        if isLost { throw SimulatedStore.error(.storeConflict, "The lease is lost.") }
        hasReserved = true
    }

    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        try await world.write(archive, expecting: expecting, under: self)
    }

    func delete(expecting: StoredAuthState.Version?) async throws {
        try await world.write(nil, expecting: expecting, under: self)
    }

    func discard() async throws { try await world.write(nil, expecting: world.store.content?.version, under: self) }
}
