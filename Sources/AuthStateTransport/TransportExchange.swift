import AuthStateJOSE
import AuthStateOAuth

/// One request and the caller that waits for its answer, or for the answer's head; the caller is resumed exactly once, by the
/// first result.
final class TransportExchange: Sendable {
    let request: WireRequest
    /// Where the body goes of an answer that is read as it comes; nil for one that is read as a whole.
    let body: BodyPipe?
    /// Where the body comes from of a request that is sent as it is read; nil for another one.
    let upload: UploadPipe?
    /// Receives the interim answers of a stream.
    let onInterim: (@Sendable (TransportResponse) -> Void)?
    private let state = Lock<State>(.unclaimed)

    private enum State {
        case unclaimed
        case waiting(CheckedContinuation<TransportResponse, any Error>)
        /// Ended before the caller was registered, with the result that waits for it.
        case early(Result<TransportResponse, any Error>)
        case finished
    }

    init(_ request: WireRequest, body: BodyPipe? = nil, upload: UploadPipe? = nil) {
        (self.request, self.body, self.upload) = (request, body, upload)
        onInterim = body == nil ? nil : StreamedResponse.onInterim
    }

    /// Resumes the caller of a stream with the answer's head.
    func begin(_ head: TransportResponse) { resume(.success(head)) }

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
        resume(result)
        body?.finish(result.map { _ in })
        upload?.stop()
    }

    private func resume(_ result: Result<TransportResponse, any Error>) {
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
