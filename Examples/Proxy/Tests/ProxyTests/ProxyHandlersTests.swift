import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import authstate_proxy

/// Single handlers of a connection, without one.
struct ProxyHandlersTests {
    @Test("bytes that are no HTTP get one answer, also when the API's is on its way")
    func oneAnswer() throws {
        let channel = EmbeddedChannel(handler: ProxyParserRefusals())
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        let late = HTTPResponseHead(version: .http1_1, status: .ok)
        #expect(throws: ChannelError.self) { try channel.writeOutbound(HTTPServerResponsePart.head(late)) }
        var heads: [Int] = []
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            if case .head(let head) = part { heads.append(Int(head.status.code)) }
        }
        #expect(heads == [400])
    }

    @Test("an answer that has begun is not followed by a refusal")
    func begun() throws {
        let channel = EmbeddedChannel(handler: ProxyParserRefusals())
        let head = HTTPResponseHead(version: .http1_1, status: .ok)
        try channel.writeOutbound(HTTPServerResponsePart.head(head))
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        var count = 0
        while try channel.readOutbound(as: HTTPServerResponsePart.self) != nil { count += 1 }
        #expect(count == 1)
    }
}
