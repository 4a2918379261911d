import NIOCore
import NIOHTTP1

/// Notices a program that has ended: its side of the connection is closed, as it is of a program that waits for the answer all
/// the same.
///
/// The system answers bytes for an ended program with a reset, which closes the channel. An interim answer is such bytes, and
/// clients pass over it (RFC 9110, section 15.2).
final class ProxyProbe: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The version of the request that waits for its answer; nil when none does.
    private var waiting: HTTPVersion?
    private var probing: RepeatedTask?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) { waiting = head.version }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data), head.status.code >= 200 || head.status == .switchingProtocols
        {
            stop()
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed, probing == nil, waiting == .http1_1 {
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            probing = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(2), delay: .seconds(5)) { _ in
                let (handler, context) = bound.value
                guard handler.waiting != nil else { return handler.stop() }
                let interim = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(handler.wrapOutboundOut(.head(interim)), promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    private func stop() {
        waiting = nil
        probing?.cancel()
        probing = nil
    }
}
