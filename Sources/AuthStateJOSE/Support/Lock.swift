#if canImport(Darwin)
    internal import os
#else
    internal import Synchronization
#endif

/// A lock around one value: `Mutex`, or `OSAllocatedUnfairLock` on Darwin, where `Mutex` is newer than our minimum.
///
/// Hold it for a few instructions: never across an `await`, a call-back or the resumption of a continuation.
package struct Lock<State: Sendable>: ~Copyable, Sendable {
    #if canImport(Darwin)
        private let storage: OSAllocatedUnfairLock<State>

        package init(_ initial: State) { storage = OSAllocatedUnfairLock(initialState: initial) }

        @inline(__always)
        package borrowing func withLock<R: Sendable>(_ body: (inout State) throws -> R) rethrows -> R {
            try storage.withLockUnchecked(body)
        }
    #else
        private let storage: Mutex<State>

        package init(_ initial: State) { storage = Mutex(initial) }

        @inline(__always)
        package borrowing func withLock<R: Sendable>(_ body: (inout State) throws -> R) rethrows -> R {
            try storage.withLock { state in try body(&state) }
        }
    #endif
}
