import AuthStateKit
import Synchronization

/// Counts changes in a table of fixed size: a watch needs no memory in it, however many there are.
///
/// A key has the slot that its hash begins with. Keys that share a slot see each other's changes too: false alarms.
final class ChangeHub: Sendable {
    private static let slots = 1 << 16

    // Sendable: the memory is initialised before it is shared, freed with its owner, and holds atomics.
    nonisolated(unsafe) private let counts: UnsafeMutablePointer<Atomic<UInt32>>
    private let all = Atomic<UInt32>(0)
    private let runs = Atomic(0)
    private let connections = Atomic(0)
    private let start = ContinuousClock.now

    init() {
        counts = .allocate(capacity: Self.slots)
        for index in 0..<Self.slots { (counts + index).initialize(to: Atomic(0)) }
    }

    deinit { counts.deallocate() }

    /// Whether a listener runs, connected or not.
    var isRunning: Bool { runs.load(ordering: .relaxed) > 0 }

    /// Counts a listener that starts or ends.
    func changeRuns(by difference: Int) { runs.wrappingAdd(difference, ordering: .relaxed) }

    /// Counts a listening connection that is opened or closed; earlier changes were not seen.
    func changeConnections(by difference: Int) {
        all.wrappingAdd(1, ordering: .relaxed)
        connections.wrappingAdd(difference, ordering: .sequentiallyConsistent)
    }

    /// Counts a change of each key, named by its hash as notifications have it.
    func note(_ keys: [String]) {
        for slot in keys.compactMap({ UInt16($0.prefix(4), radix: 16) }) {
            counts[Int(slot)].wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// A number that differs from before when the key may have changed: without a connection, in each second.
    fileprivate func generation(of slot: Int) -> UInt64 {
        if connections.load(ordering: .relaxed) == 0 {
            return .max - UInt64(max(0, start.duration(to: .now) / .seconds(1)))
        }
        return UInt64(all.load(ordering: .relaxed)) << 32 | UInt64(counts[slot].load(ordering: .relaxed))
    }
}

/// Tells whether a key was changed, by any process.
final class PostgresWatch: AuthStateWatch {
    private let hub: ChangeHub
    private let slot: Int

    init(_ key: KeyHash, by hub: ChangeHub) {
        self.hub = hub
        slot = Int(key.bytes[0]) << 8 | Int(key.bytes[1])
    }

    var generation: UInt64 { hub.generation(of: slot) }
}
