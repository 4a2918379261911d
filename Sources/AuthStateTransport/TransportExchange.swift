import AuthStateJOSE
import AuthStateOAuth

/// One request and the caller that waits for its answer; the caller is resumed exactly once, by the first result.
final class TransportExchange: Sendable {
    let request: WireRequest
    private let state = Lock<State>(.unclaimed)

    private enum State {
        case unclaimed
        case waiting(CheckedContinuation<TransportResponse, any Error>)
        case finished
    }

    init(_ request: WireRequest) { self.request = request }

    var isFinished: Bool {
        state.withLock { if case .finished = $0 { true } else { false } }
    }

    /// Registers the caller; returns false when it was cancelled before, and has been resumed.
    func wait(_ continuation: CheckedContinuation<TransportResponse, any Error>) -> Bool {
        let isWaiting = state.withLock { state in
            guard case .unclaimed = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !isWaiting { continuation.resume(throwing: CancellationError()) }
        return isWaiting
    }

    /// Ends the exchange; does nothing when it has ended before.
    func finish(_ result: Result<TransportResponse, any Error>) {
        let continuation: CheckedContinuation<TransportResponse, any Error>? = state.withLock { state in
            defer { state = .finished }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(with: result)
    }
}
