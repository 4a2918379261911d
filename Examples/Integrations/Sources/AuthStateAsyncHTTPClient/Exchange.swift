import AsyncHTTPClient
import AuthStateKit
import NIOCore
import NIOHTTP1
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One exchange: collects the answer, and remembers whether the request went out.
///
/// The client's delegate and not its `async` interface: that one does not say whether anything was sent.
final class Exchange: HTTPClientResponseDelegate {
    /// The answer's body had more bytes than the request allows.
    struct TooLarge: Error {}

    private struct State {
        var wasSent = false
        var answer = TransportResponse(status: 0)
    }

    private let maximumBytes: Int
    private let state = Mutex(State())

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Whether bytes of the request may have reached the server.
    var wasSent: Bool { state.withLock { $0.wasSent } }

    /// Called when the head has been written, on the loop on which failures are reported too.
    func didSendRequestHead(task: HTTPClient.Task<TransportResponse>, _ head: HTTPRequestHead) {
        state.withLock { $0.wasSent = true }
    }

    func didReceiveHead(task: HTTPClient.Task<TransportResponse>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        state.withLock { state in
            state.answer.status = Int(head.status.code)
            for field in head.headers { state.answer.headers.append(field.name, field.value) }
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<TransportResponse>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let fits = state.withLock { state in
            guard part.readableBytes <= maximumBytes - state.answer.body.count else { return false }
            state.answer.body.append(contentsOf: part.readableBytesView)
            return true
        }
        return fits ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(TooLarge())
    }

    func didFinishRequest(task: HTTPClient.Task<TransportResponse>) throws -> TransportResponse {
        state.withLock { $0.answer }
    }
}
