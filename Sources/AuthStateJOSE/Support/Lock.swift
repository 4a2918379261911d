#if canImport(Darwin)
    public import os
#else
    public import Synchronization
#endif

/// A lock around one value: `Mutex`, or `OSAllocatedUnfairLock` on Darwin, where `Mutex` is newer than our minimum.
///
/// Hold it for a few instructions: never across an `await`, a call-back or the resumption of a continuation.
///
/// Inlinable, because other modules would else lock through unspecialised generic code: with it `AuthState` read a token
/// in 50 ns instead of 20, most of it inside the lock. The compiler inlines it only when the type is usable from inline.
@usableFromInline
package struct Lock<State: Sendable>: ~Copyable, Sendable {
    #if canImport(Darwin)
        @usableFromInline let storage: OSAllocatedUnfairLock<State>

        @inlinable
        package init(_ initial: State) { storage = OSAllocatedUnfairLock(initialState: initial) }

        @inlinable @inline(__always)
        package borrowing func withLock<R: Sendable>(_ body: (inout State) throws -> R) rethrows -> R {
            try storage.withLockUnchecked(body)
        }
    #else
        @usableFromInline let storage: Mutex<State>

        @inlinable
        package init(_ initial: State) { storage = Mutex(initial) }

        @inlinable @inline(__always)
        package borrowing func withLock<R: Sendable>(_ body: (inout State) throws -> R) rethrows -> R {
            try storage.withLock { state in try body(&state) }
        }
    #endif
}
