import AuthStateKit
import AuthStateOAuth
import AuthStatePlatform
import NIOCore

/// The way of an upgrade through the proxy that the environment names for https, as the library's transport goes it.
struct ProxyRoute: Sendable, Equatable {
    let host: String
    let port: Int
    /// The name and the password of the proxy's URL, for Proxy-Authorization; nil for none.
    let authorization: String?

    /// - Throws: `TransportError` for a proxy that does not speak http.
    init(_ text: String) throws {
        let parts = URLComponents(string: text.contains("://") ? text : "http://\(text)")
        guard let parts, parts.scheme?.lowercased() == "http", let host = parts.host, !host.isEmpty else {
            throw TransportError(
                .invalidRequest,
                "A WebSocket goes through an http proxy alone: https_proxy or all_proxy names another.",
                requestMayHaveBeenSent: false)
        }
        self.host = host.filter { !"[]".contains($0) }
        // That of libcurl.
        port = parts.port ?? 1080
        authorization = parts.user.map { user in
            "Basic " + Data("\(user):\(parts.password ?? "")".utf8).base64EncodedString()
        }
    }

    /// Returns the URL of the proxy for requests to a host by https; nil for none.
    static func url(
        for host: String, in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        let value = variables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let value, !InternetAddress.isThisMachine(host) else { return nil }
        let exempt = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        let isExempt = exempt.split { $0 == "," || $0 == " " }.contains { entry in
            let domain = entry.lowercased().drop { $0 == "." }
            return domain == "*" || domain == host.lowercased() || host.lowercased().hasSuffix(".\(domain)")
        }
        return isExempt ? nil : value
    }
}

/// Asks a proxy for a connection to a server (RFC 9110, section 9.3.6), before anything else is said.
final class ProxyConnect: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let head: String
    private let opened: EventLoopPromise<Void>
    private var answer = ByteBuffer()
    private var isOver = false

    /// - Parameters:
    ///   - authority: The server: its name and port.
    ///   - opened: Succeeds when the connection leads to the server.
    init(to authority: String, by route: ProxyRoute, _ opened: EventLoopPromise<Void>) {
        let proof = route.authorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
        head = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\(proof)\r\n"
        self.opened = opened
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if !isOver { opened.fail(ChannelError.eof) }
        isOver = true
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        answer.writeImmutableBuffer(unwrapInboundIn(data))
        let bytes = answer.readableBytesView
        guard !isOver else { return }
        guard let end = bytes.firstRange(of: "\r\n\r\n".utf8) else {
            if bytes.count > ProxyLimits.headerBytes { fail("sends no answer", context) }
            return
        }
        let words = bytes.prefix { $0 != 0x0D }.split(separator: 0x20)
        let status = words.dropFirst().first.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
        // A server speaks after TLS alone.
        guard (200..<300).contains(status), end.upperBound == bytes.endIndex,
            words.first?.starts(with: "HTTP/1.".utf8) == true
        else { return fail("answers \(status) to CONNECT", context) }
        isOver = true
        context.pipeline.syncOperations.removeHandler(self).cascade(to: opened)
    }

    func channelInactive(context: ChannelHandlerContext) { fail("ended the connection", context) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail("ended the connection", context) }

    private func fail(_ what: String, _ context: ChannelHandlerContext) {
        guard !isOver else { return }
        isOver = true
        opened.fail(
            TransportError(
                .unreachable, "The proxy that https_proxy or all_proxy names \(what).", requestMayHaveBeenSent: false))
        context.close(promise: nil)
    }
}
