import AuthStateJOSE
import AuthStateSystem

/// Restored redirects, kept until a reader asks for them; each goes to one reader.
final class RedirectQueue: Sendable {
    private struct State {
        var items: [RestoredRedirect] = []
        var arrival = SharedResult<Void>()
    }

    private let state = Lock(State())

    func put(_ item: RestoredRedirect) {
        let arrival = state.withLock { state in
            state.items.append(item)
            defer { state.arrival = SharedResult() }
            return state.arrival
        }
        arrival.finish(.success(()))
    }

    /// Waits for the next one; returns nil when the task is cancelled.
    func next() async -> RestoredRedirect? {
        while true {
            let (item, arrival) = state.withLock { state in
                (state.items.isEmpty ? nil : state.items.removeFirst(), state.arrival)
            }
            if let item { return item }
            do { try await arrival.value() } catch { return nil }
        }
    }
}
