import AuthStatePlatform
import NIOCore

/// The descriptors that the system gives this process.
enum ProxyDescriptors {
    /// The number that is enough for the proxy.
    private static let wanted = rlim_t(8192)

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif

    /// Raises the limit of this process as far as the system allows, to at most 8192; returns the limit.
    static func raise() -> Int {
        var limits = rlimit()
        guard getrlimit(resource, &limits) == 0 else { return 256 }
        let higher = min(limits.rlim_max, wanted)
        if higher > limits.rlim_cur {
            var raised = limits
            raised.rlim_cur = higher
            if setrlimit(resource, &raised) == 0 { limits = raised }
        }
        return Int(clamping: limits.rlim_cur)
    }
}

/// Keeps a listener when the system cannot accept a connection for it: without it, the error ends the listener.
///
/// The listener accepts again after a moment, in which other connections may end.
final class ProxyAcceptPause: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    static let time = TimeAmount.milliseconds(200)
    /// The errors after which NIO keeps a listener open.
    private static let passing = [ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private var isPaused = false
    private var isAsked = false

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, Self.passing.contains(failure.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        guard !isPaused else { return }
        isPaused = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.time) {
            let (handler, context) = bound.value
            handler.isPaused = false
            guard handler.isAsked else { return }
            handler.isAsked = false
            context.read()
        }
    }

    func read(context: ChannelHandlerContext) {
        if isPaused { isAsked = true } else { context.read() }
    }
}
