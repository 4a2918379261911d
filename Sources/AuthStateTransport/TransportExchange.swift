import AuthStateJOSE
import AuthStateOAuth

/// One request and the caller that waits for its answer; the caller is resumed exactly once, by the first result.
final class TransportExchange: Sendable {
    let request: WireRequest
    private let state = Lock<State>(.unclaimed)

    private enum State {
        case unclaimed
        case waiting(CheckedContinuation<TransportResponse, any Error>)
        /// Ended before the caller was registered, with the result that waits for it.
        case early(Result<TransportResponse, any Error>)
        case finished
    }

    init(_ request: WireRequest) { self.request = request }

    var isFinished: Bool {
        state.withLock { state in
            switch state {
            case .unclaimed, .waiting: false
            case .early, .finished: true
            }
        }
    }

    /// Registers the caller; returns false when the exchange had ended before: the caller has been resumed with its result.
    func wait(_ continuation: CheckedContinuation<TransportResponse, any Error>) -> Bool {
        let early: Result<TransportResponse, any Error>? = state.withLock { state in
            if case .early(let result) = state {
                state = .finished
                return result
            }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(with: early) }
        return early == nil
    }

    /// Ends the exchange; does nothing when it has ended before.
    func finish(_ result: Result<TransportResponse, any Error>) {
        let continuation: CheckedContinuation<TransportResponse, any Error>? = state.withLock { state in
            switch state {
            case .unclaimed: state = .early(result)
            case .waiting(let continuation):
                state = .finished
                return continuation
            case .early, .finished: break
            }
            return nil
        }
        continuation?.resume(with: result)
    }
}
