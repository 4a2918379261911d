import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
import AuthStateStorage

/// The store as one process has it; every call waits for the schedule, and may go wrong.
struct SimulatedStore: AuthStateStore {
    let world: World
    let process: Int
    /// A name for the turns of logins that no other store has; nil shares them, as stores do.
    var ownTurns: Int?

    /// The secrets of registered clients are in the store, and are believed.
    var mayBeWrittenByOthers: Bool { false }

    private func shelf(_ key: AuthStateKey) -> Shelf {
        guard let ownTurns, key.rawValue.hasSuffix(" login") else { return world.shelf(key) }
        return world.shelf(AuthStateKey("\(key.rawValue) \(ownTurns)"))
    }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await world.load(shelf(key), process) }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        let lease = try await world.acquireLease(shelf(key), process, deadline: deadline / .seconds(1))
        defer { world.releaseLease(lease) }
        return try await body(lease)
    }

    func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? {
        world.shelf(key).isWatched ? SimulatedWatch(world.shelf(key)) : nil
    }
}

/// Tells of every change at once.
private final class SimulatedWatch: AuthStateWatch {
    private let shelf: Shelf
    init(_ shelf: Shelf) { self.shelf = shelf }
    var generation: UInt64 { shelf.generation }
}

/// The lease of one process.
final class SimulatedLease: AuthStateLease, @unchecked Sendable {
    // Sendable: everything runs on one thread.
    let world: World
    let shelf: Shelf
    let process: Int
    let followsCrash: Bool
    var hasReserved = false
    /// Whether another process may acquire the lease although the work goes on.
    var isLost = false {
        didSet { if isLost { lostAt = world.scheduler.now } }
    }
    private(set) var lostAt = Double.infinity

    init(_ world: World, _ shelf: Shelf, _ process: Int) {
        (self.world, self.shelf, self.process) = (world, shelf, process)
        followsCrash = shelf.followsCrash
    }

    func load() async throws -> StoredAuthState? { try await world.load(shelf, process, isUnderLease: true) }

    func reserve() async throws {
        _ = try await world.call(process, .reserve, "reserve")
        if isLost { throw Shelf.error(.storeConflict, "The lease is lost.") }
        hasReserved = true
        shelf.oracle.reserved(process)
    }

    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        try await world.write(archive, expecting: expecting, under: self)
    }

    func delete(expecting: StoredAuthState.Version?) async throws {
        try await world.write(nil, expecting: expecting, under: self)
    }

    func discard() async throws {
        try await world.write(nil, expecting: shelf.content(for: process)?.version, under: self)
    }
}
