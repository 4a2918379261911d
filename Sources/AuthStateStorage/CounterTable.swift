import AuthStateJOSE

#if !canImport(Darwin)
    import Synchronization
#endif

#if canImport(Darwin)
    /// Counters that all share a lock, because atomics are newer than our minimum.
    package struct CounterTable: ~Copyable, Sendable {
        private let counts: Lock<[UInt32]>

        package init(count: Int) { counts = Lock([UInt32](repeating: 0, count: count)) }

        package subscript(index: Int) -> UInt32 { counts.withLock { $0[index] } }

        package func increment(_ index: Int) { counts.withLock { $0[index] &+= 1 } }
    }
#else
    /// Counters that are read without a lock.
    package struct CounterTable: ~Copyable, Sendable {
        // Sendable: the memory is initialised before it is shared, never freed while this lives, and holds atomics.
        nonisolated(unsafe) private let counts: UnsafeMutablePointer<Atomic<UInt32>>

        package init(count: Int) {
            counts = .allocate(capacity: count)
            for index in 0..<count { (counts + index).initialize(to: Atomic(0)) }
        }

        deinit { counts.deallocate() }

        package subscript(index: Int) -> UInt32 { counts[index].load(ordering: .relaxed) }

        package func increment(_ index: Int) { counts[index].wrappingAdd(1, ordering: .relaxed) }
    }
#endif
