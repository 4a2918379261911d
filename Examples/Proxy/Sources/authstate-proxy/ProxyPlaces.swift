import NIOCore
import Synchronization

/// The places for connections, which all listeners share.
///
/// Another user of the machine may open any number of connections. They show no key, and make room for others.
final class ProxyPlaces: Sendable {
    private struct State {
        var free: Int
        /// The connections whose programs have not shown the key, the oldest first.
        var strangers: [any Channel] = []
        var waiting: [(channel: any Channel, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>

    /// - Parameter count: The connections that are served at once.
    init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Takes a place for a new connection, and waits for it when there is none.
    ///
    /// When there is none, the connection that has shown no key for longest is closed, if there is one.
    func enter(_ channel: any Channel) async {
        await withCheckedContinuation { continuation in
            let oldest: (any Channel)? = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    state.strangers.append(channel)
                    continuation.resume()
                    return nil
                }
                state.waiting.append((channel, continuation))
                return state.strangers.isEmpty ? nil : state.strangers.removeFirst()
            }
            oldest?.close(promise: nil)
        }
    }

    /// Notes that a connection has shown the key.
    func identify(_ channel: any Channel) { state.withLock { $0.strangers.removeAll { $0 === channel } } }

    /// Gives the place of a connection that has ended to the next one.
    func leave(_ channel: any Channel) {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.strangers.removeAll { $0 === channel }
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            let next = state.waiting.removeFirst()
            state.strangers.append(next.channel)
            return next.continuation
        }
        next?.resume()
    }
}
