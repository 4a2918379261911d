import AuthStateJOSE

#if !canImport(Darwin)
    import Synchronization
#endif

/// Counts changes in one table for the process, of fixed size: a watch needs no memory in it, however many there are.
///
/// A name has the slot that its hash falls on. Names that share one hear of each other's changes too: false alarms.
enum ChangeCounters {
    /// The place of a name in the table.
    struct Slot: Sendable {
        fileprivate let index: Int

        init(_ hasher: Hasher) { index = hasher.finalize() & (ChangeCounters.slots - 1) }
    }

    private static let slots = 1 << 16
    /// A quarter of a megabyte, made with the first watch. Not in an object, which every reader would retain.
    private static let table = CounterTable(count: slots)

    /// Returns a number that changes when something may have changed under the name.
    static func generation(of slot: Slot) -> UInt64 { UInt64(table[slot.index]) }

    /// Counts a change under a name.
    static func count(_ slot: Slot) { table.increment(slot.index) }
}

#if canImport(Darwin)
    /// Counters that all share a lock, because atomics are newer than our minimum.
    private struct CounterTable: ~Copyable, Sendable {
        private let counts: Lock<[UInt32]>

        init(count: Int) { counts = Lock([UInt32](repeating: 0, count: count)) }

        subscript(index: Int) -> UInt32 { counts.withLock { $0[index] } }

        func increment(_ index: Int) { counts.withLock { $0[index] &+= 1 } }
    }
#else
    /// Counters that are read without a lock.
    private struct CounterTable: ~Copyable, Sendable {
        // Sendable: the memory is initialised before it is shared, never freed while this lives, and holds atomics.
        nonisolated(unsafe) private let counts: UnsafeMutablePointer<Atomic<UInt32>>

        init(count: Int) {
            counts = .allocate(capacity: count)
            for index in 0..<count { (counts + index).initialize(to: Atomic(0)) }
        }

        deinit { counts.deallocate() }

        subscript(index: Int) -> UInt32 { counts[index].load(ordering: .relaxed) }

        func increment(_ index: Int) { counts[index].wrappingAdd(1, ordering: .relaxed) }
    }
#endif
