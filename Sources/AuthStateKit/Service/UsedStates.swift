import AuthStateJOSE

/// The states of logins that any service of this process completed, so that a callback is accepted once.
///
/// The provider enforces this as well, because a code is valid once; this check stops a replay before it is sent.
final class UsedStates: Sendable {
    static let shared = UsedStates()

    private let states = Lock<(order: [String], known: Set<String>)>(([], []))

    /// Records the use of a state, and returns whether it is the first.
    func use(_ state: String) -> Bool {
        states.withLock { states in
            guard states.known.insert(state).inserted else { return false }
            states.order.append(state)
            if states.order.count > 4096 {
                states.known.subtract(states.order.prefix(2048))
                states.order.removeFirst(2048)
            }
            return true
        }
    }
}
