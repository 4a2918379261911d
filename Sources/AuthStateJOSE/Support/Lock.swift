#if canImport(Darwin)
    public import os
#elseif AUTHSTATE_THREAD_SANITIZER
    import Glibc
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
    #elseif AUTHSTATE_THREAD_SANITIZER
        private let storage: PosixMutex<State>

        package init(_ initial: State) { storage = PosixMutex(initial) }

        package borrowing func withLock<R: Sendable>(_ body: (inout State) throws -> R) rethrows -> R {
            try storage.withLock(body)
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

#if AUTHSTATE_THREAD_SANITIZER
    /// A lock that ThreadSanitizer knows: `Mutex` synchronises inside the standard library, where the sanitizer sees
    /// nothing, and every contended use of it would be reported as a race.
    // Sendable: the state is only touched while the mutex is held.
    private final class PosixMutex<State: Sendable>: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private var state: State

        init(_ initial: State) {
            state = initial
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        func withLock<R>(_ body: (inout State) throws -> R) rethrows -> R {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&state)
        }
    }
#endif
