import NIOCore
import Synchronization

/// One end of a tunnel, nearest to the socket: passes bytes to the other end as fast as that takes them.
///
/// Before it is joined, the program's end lets HTTP pass, and the API's keeps what comes. Both ends live on one event loop.
final class ProxyTunnel: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What has passed, and who ended it.
    final class Tally: Sendable {
        private let state = Mutex<(bytes: Int, end: ProxyAudit.End.Reason?)>((0, nil))

        /// The bytes that the program has received.
        var bytes: Int { state.withLock { $0.bytes } }
        /// The first side that closed its connection; nil for none.
        var end: ProxyAudit.End.Reason? { state.withLock { $0.end } }

        fileprivate func count(_ bytes: Int) { state.withLock { $0.bytes += bytes } }
        fileprivate func note(_ end: ProxyAudit.End.Reason) { state.withLock { $0.end = $0.end ?? end } }
    }

    private enum Phase {
        case http
        case holding([ByteBuffer], isOver: Bool)
        case joined(ProxyTunnel, ProxyAudit.End.Reason, Tally, limit: TimeAmount)
        case over
    }

    private var phase: Phase
    private var context: ChannelHandlerContext?
    /// The last write to the other end; reading goes on after it.
    private var last: EventLoopFuture<Void>?
    /// Whether the program has ended its side, and still waits for what the API sends.
    private var isInputOver = false

    /// - Parameter holds: Whether bytes are kept until the ends are joined.
    init(holds: Bool) { phase = holds ? .holding([], isOver: false) : .http }

    /// Joins the program's end, this one, to the API's, which may have ended meanwhile.
    ///
    /// - Parameter limit: The time in which an end has to take what it is sent.
    func join(_ api: ProxyTunnel, limit: TimeAmount, _ tally: Tally) {
        guard case .http = phase, case .holding(let pieces, let isOver) = api.phase else { return }
        phase = .joined(api, .program, tally, limit: limit)
        api.phase = .joined(self, .api, tally, limit: limit)
        for piece in pieces { api.pass(piece) }
        if isOver { return api.close() }
        for end in [self, api] { end.readNext() }
        if isInputOver { finish() }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        close()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        case .http: context.fireChannelRead(data)
        case .holding(let pieces, let isOver): phase = .holding(pieces + [unwrapInboundIn(data)], isOver: isOver)
        case .joined: pass(unwrapInboundIn(data))
        case .over: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .http = phase { context.fireChannelReadComplete() } else { readNext() }
    }

    func read(context: ChannelHandlerContext) { if case .http = phase { context.read() } }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            isInputOver = true
            if case .joined = phase { return finish() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .http = phase { return context.fireErrorCaught(error) }
        context.close(promise: nil)
    }

    private func pass(_ piece: ByteBuffer) {
        guard case .joined(let other, let side, let tally, let limit) = phase, let target = other.context else {
            return
        }
        let written = target.eventLoop.makePromise(of: Void.self)
        let (channel, count) = (target.channel, piece.readableBytes)
        let deadline = target.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        written.futureResult.whenComplete { result in
            deadline.cancel()
            if side == .api, case .success = result { tally.count(count) }
        }
        target.writeAndFlush(other.wrapOutboundOut(piece), promise: written)
        last = written.futureResult
    }

    /// Reads when the other end has taken everything.
    private func readNext() {
        guard case .joined = phase, let context else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        (last ?? context.eventLoop.makeSucceededVoidFuture()).whenSuccess { bound.value.read() }
    }

    /// Tells the other side that nothing follows what was sent on it; what comes from there still passes.
    private func finish() {
        guard case .joined(let other, let side, let tally, _) = phase, let channel = other.context?.channel else {
            return
        }
        tally.note(side)
        (last ?? channel.eventLoop.makeSucceededVoidFuture()).whenComplete { _ in
            channel.close(mode: .output, promise: nil)
        }
    }

    /// Ends both connections, the other one after what was sent on it.
    private func close() {
        guard case .joined(let other, let side, let tally, _) = phase else {
            if case .holding(let pieces, _) = phase { phase = .holding(pieces, isOver: true) }
            return
        }
        (phase, other.phase) = (.over, .over)
        tally.note(side)
        context?.close(promise: nil)
        guard let channel = other.context?.channel else { return }
        (last ?? channel.eventLoop.makeSucceededVoidFuture()).whenComplete { _ in channel.close(promise: nil) }
    }
}
