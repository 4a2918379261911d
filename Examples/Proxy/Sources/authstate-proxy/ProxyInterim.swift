import AuthStateKit
import NIOCore
import NIOHTTP1
import Synchronization

/// Passes interim answers of the API on, such as 103, until the answer to the request begins.
final class ProxyInterim: Sendable {
    private let channel: any Channel
    private let isOver = Mutex(false)

    init(_ channel: any Channel) { self.channel = channel }

    /// Writes an interim answer; one that comes after the proxy has given the API up is dropped.
    @Sendable func pass(_ answer: TransportResponse) {
        // The proxy itself answers Expect, and switches protocols elsewhere.
        guard (102..<200).contains(answer.status) else { return }
        var fields = ProxyHeaders.answer(answer.headers)
        fields["Location"] = nil
        let head = HTTPResponseHead(
            version: .http1_1, status: .init(statusCode: answer.status),
            headers: HTTPHeaders(fields.map { ($0.name, $0.value) }))
        isOver.withLock { isOver in
            if !isOver { channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil) }
        }
    }

    /// Passes none any more.
    func end() { isOver.withLock { $0 = true } }
}
