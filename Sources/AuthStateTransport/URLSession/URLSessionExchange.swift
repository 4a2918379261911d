import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth

/// One exchange through URLSession: the reports of its delegate so far, and the caller that waits.
///
/// Nothing here names URLSession, so that all decisions can be tested where there is none.
final class URLSessionExchange: Sendable {
    let request: WireRequest
    private let caller: TransportExchange
    private let state = Lock(State())

    private struct State {
        var status: Int?
        var headers = TransportHeaders()
        var body = Data()
        var isTooLarge = false
        var refusedChain: [[UInt8]]?
    }

    init(_ request: WireRequest, body: BodyPipe? = nil) {
        self.request = request
        caller = TransportExchange(request, body: body)
    }

    /// Registers the caller; returns false when the exchange had ended before: the caller has been resumed.
    func wait(_ continuation: CheckedContinuation<TransportResponse, any Error>) -> Bool { caller.wait(continuation) }

    func cancel() { caller.finish(.failure(CancellationError())) }

    func timeOut() { caller.finish(.failure(URLSessionFailure.timedOut(request))) }

    /// Takes the answer's head. URLSession joins the values of a repeated field with commas, and keeps no order.
    func receive(status: Int, fields: [(name: String, value: String)]) {
        var headers = TransportHeaders()
        for field in fields.sorted(by: { $0.name < $1.name }) { headers.append(field.name, field.value) }
        state.withLock { state in
            state.status = status
            state.headers = headers
            state.body = Data()
        }
        if caller.body != nil { caller.begin(TransportResponse(status: status, headers: headers)) }
    }

    /// Whether a stream may go on.
    var hasRoom: Bool { caller.body?.hasRoom ?? true }

    enum Reception { case goOn, pause, cancel }

    /// Takes a part of the answer's body, decompressed; cancels when there is more than the request allows, and pauses when the
    /// reader of a stream is behind.
    func receive(_ part: Data) -> Reception {
        if let body = caller.body { return part.isEmpty || body.take(part) ? .goOn : .pause }
        return state.withLock { state in
            if part.count > request.maximumResponseBytes - state.body.count { state.isTooLarge = true }
            if !state.isTooLarge { state.body.append(part) }
            return state.isTooLarge ? .cancel : .goOn
        }
    }

    /// Takes the certificates, the server's first, of a server that is not trusted.
    func refuse(chain: [[UInt8]]) { state.withLock { $0.refusedChain = chain } }

    /// Ends the exchange with the answer that was received, or with the failure.
    func finish(_ failure: URLSessionFailure?) {
        caller.finish(state.withLock { state in Result { try Self.answer(state, request, failure) } })
    }

    private static func answer(
        _ state: State, _ request: WireRequest, _ failure: URLSessionFailure?
    ) throws -> TransportResponse {
        if state.isTooLarge {
            let message = "The answer of \(request.peer) has more than \(request.maximumResponseBytes) bytes."
            throw TransportError(.responseTooLarge, message, requestMayHaveBeenSent: true)
        }
        if let failure {
            var failure = failure
            if let chain = state.refusedChain {
                failure.code = URLSessionFailure.untrusted
                failure.chain = chain
            }
            throw failure.error(for: request)
        }
        guard let status = state.status else {
            throw TransportError(
                .connectionLost, "\(request.peer) answered something that is not HTTP.", requestMayHaveBeenSent: true)
        }
        return TransportResponse(status: status, headers: state.headers, body: state.body)
    }
}
