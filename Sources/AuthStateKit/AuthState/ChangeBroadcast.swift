import AuthStateJOSE

/// Sends each value to every subscriber, in order; a subscriber that is slow loses the oldest.
final class ChangeBroadcast<Element: Sendable & Equatable>: Sendable {
    private struct State {
        var current: Element
        var nextID = 0
        var subscribers: [Int: AsyncStream<Element>.Continuation] = [:]
    }

    private let state: Lock<State>

    init(_ current: Element) { state = Lock(State(current: current)) }

    deinit {
        for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.finish() }
    }

    var hasSubscribers: Bool { state.withLock { !$0.subscribers.isEmpty } }

    /// A stream that begins with the current value and keeps the newest 64.
    func subscribe() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(64))
        let id: Int = state.withLock { state in
            // Under the lock, so that no change falls between the current value and the first one sent.
            continuation.yield(state.current)
            state.nextID += 1
            state.subscribers[state.nextID] = continuation
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: id) }
        }
        return stream
    }

    /// Sends a value that differs from the current one. Calls must not overlap, so that all subscribers get the same
    /// order.
    func send(_ element: Element) {
        let subscribers = state.withLock { state -> [AsyncStream<Element>.Continuation] in
            // A subscriber that began a moment ago has it already.
            if state.current == element { return [] }
            state.current = element
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.yield(element) }
    }
}
