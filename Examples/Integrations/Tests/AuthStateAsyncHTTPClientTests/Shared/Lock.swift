import Synchronization

/// The part of the library's own lock that the linked files need, and that only the library's package sees.
struct Lock<State: Sendable>: ~Copyable, Sendable {
    private let state: Mutex<State>

    init(_ state: State) { self.state = Mutex(state) }

    borrowing func withLock<R: Sendable>(_ body: (inout sending State) throws -> R) rethrows -> R {
        try state.withLock { try body(&$0) }
    }
}
