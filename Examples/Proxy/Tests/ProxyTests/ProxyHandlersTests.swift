import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import authstate_proxy

/// Single handlers of a connection, without one.
@Suite(.timeLimit(.minutes(5))) struct ProxyHandlersTests {
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

    @Test("a listener outlives a lack of descriptors, and accepts again after a moment")
    func acceptPause() throws {
        let errors = Errors()
        let channel = EmbeddedChannel(handlers: [Reads(), ProxyAcceptPause(), errors])
        let reads = try channel.pipeline.syncOperations.handler(type: Reads.self)
        for code in [EMFILE, ENFILE] { channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept")) }
        channel.read()
        #expect(errors.codes == [] && reads.count == 0)
        channel.embeddedEventLoop.advanceTime(by: ProxyAcceptPause.time)
        #expect(reads.count == 1)
        channel.read()
        #expect(reads.count == 2)
        channel.pipeline.fireErrorCaught(IOError(errnoCode: EBADF, reason: "accept"))
        #expect(errors.codes == [EBADF])
    }

    @Test("a connection without a place closes the oldest one without the key, and gets the place that is given back")
    func places() async throws {
        let places = ProxyPlaces(2)
        let channels = (0..<3).map { _ in NIOAsyncTestingChannel() }
        for channel in channels { try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)) }
        await places.enter(channels[0])
        await places.enter(channels[1])
        places.identify(channels[0])
        async let entered: Void = places.enter(channels[2])
        try await channels[1].closeFuture.get()
        places.leave(channels[1])
        await entered
        #expect(channels.map(\.isActive) == [true, false, true])
    }

    @Test(
        "the connections have descriptors for two ends, and there is always one",
        arguments: [(20_000, 400), (256, 96), (1, 1)])
    func connections(descriptors: Int, count: Int) {
        #expect(ProxyLimits.connections(for: descriptors) == count)
    }

    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = Never
        var count = 0
        func read(context: ChannelHandlerContext) { count += 1 }
    }

    private final class Errors: ChannelInboundHandler {
        typealias InboundIn = Never
        var codes: [Int32] = []
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            codes.append((error as? IOError)?.errnoCode ?? -1)
        }
    }
}
