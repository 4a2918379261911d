import AuthStateKit
import AuthStateOAuth
import AuthStatePlatform
import AuthStateProgram
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A connection of the proxy's own to the API, for a request that opens a WebSocket (RFC 6455, section 4): the library's transport
/// sends requests and answers alone.
final class ProxyUpgrade: Sendable {
    private let eventLoop: any EventLoop
    private let opened = Mutex<(channel: any Channel, end: NIOLoopBound<ProxyTunnel>)?>(nil)

    /// - Parameter eventLoop: That of the program's connection.
    init(on eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// The end of the tunnel at the API, when that has switched to the other protocol.
    var end: NIOLoopBound<ProxyTunnel>? { opened.withLock { $0?.end } }

    /// Closes the API's connection, if it has switched.
    func close() { opened.withLock { $0 }?.channel.close(promise: nil) }

    /// The answer to a request, when its head has come.
    private enum Outcome: Sendable {
        case switched(HTTPResponseHead, NIOLoopBound<ProxyTunnel>)
        case answered(EventLoopFuture<TransportResponse>)
    }

    /// Sends a request, and returns the answer; one that does not switch is read as a whole.
    ///
    /// - Throws: `TransportError`, `CancellationError`.
    func send(_ request: TransportRequest, _ settings: Settings) async throws -> StreamedResponse {
        let target = try Target(request)
        let tls = target.isSecure ? try Self.context(settings) : nil
        let limit = TimeAmount.nanoseconds(Int64(request.timeout / .nanoseconds(1)))
        var isSent = false
        do {
            let head = target.head(request)
            let name = target.isAddress ? nil : target.host
            let bootstrap = ClientBootstrap(group: eventLoop).connectTimeout(limit)
                .channelOption(.socketOption(.so_keepalive), value: 1)
            let place = (host: target.route?.host ?? target.host, port: target.route?.port ?? target.port)
            let (channel, ready) = try await bootstrap.connect(host: place.host, port: place.port) { channel in
                @Sendable func begin() throws -> EventLoopFuture<Outcome> {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(Self.handler(tls, for: name))
                    }
                    return try Self.configure(channel, head)
                }
                return channel.eventLoop.makeCompletedFuture {
                    guard let route = target.route else {
                        return (channel, channel.eventLoop.makeSucceededFuture(try begin()))
                    }
                    let opened = channel.eventLoop.makePromise(of: Void.self)
                    try channel.pipeline.syncOperations.addHandler(
                        ProxyConnect(to: target.fullAuthority, by: route, opened))
                    return (channel, opened.futureResult.flatMapThrowing { try begin() })
                }
            }
            // The forwarder has a limit of its own, and tells of it.
            let deadline = channel.eventLoop.scheduleTask(in: limit + .seconds(5)) { channel.close(promise: nil) }
            defer { deadline.cancel() }
            do {
                return try await withTaskCancellationHandler {
                    let outcome = try await ready.get()
                    isSent = true
                    switch try await outcome.get() {
                    case .switched(let head, let end):
                        opened.withLock { $0 = (channel, end) }
                        return StreamedResponse(status: 101, headers: head.headers.transport) { nil }
                    case .answered(let answer):
                        defer { channel.close(promise: nil) }
                        return StreamedResponse(try await answer.get())
                    }
                } onCancel: {
                    channel.close(promise: nil)
                }
            } catch {
                // NIO leaves the connection open when the API switches to another protocol.
                channel.close(promise: nil)
                throw error
            }
        } catch {
            try Task.checkCancellation()
            throw Self.failure(error, isSent: isSent, isRouted: target.route != nil)
        }
    }

    private static func configure(
        _ channel: any Channel, _ head: HTTPRequestHead
    ) throws -> EventLoopFuture<Outcome> {
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<Outcome>(
            upgradeRequestHead: head, upgraders: [WebSocket()]
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                let collector = Collector(channel.eventLoop.makePromise())
                try channel.pipeline.syncOperations.addHandler(collector)
                return .answered(collector.answer.futureResult)
            }
        }
        var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration)
        // A server may send its first message with the head.
        pipeline.leftOverBytesStrategy = .forwardBytes
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: pipeline)
    }

    /// The certificates that the library's transport would trust and show.
    private static func context(_ settings: Settings) throws -> NIOSSLContext {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
        do {
            if let file = settings.certificateAuthorityFile {
                tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(file))]
            }
            if let file = settings.clientCertificateFile, let key = settings.clientCertificateKeyFile {
                tls.certificateChain = try NIOSSLCertificate.fromPEMFile(file).map { .certificate($0) }
                tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
            }
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw TransportError(
                .insecureConnection, "A file of certificates of the login cannot be used.",
                requestMayHaveBeenSent: false)
        }
    }

    /// - Parameter name: The API's name; nil for an address.
    private static func handler(_ context: NIOSSLContext, for name: String?) throws -> NIOSSLClientHandler {
        guard let name else { return try NIOSSLClientHandler(context: context, serverHostname: nil) }
        return try NIOSSLClientHandler._makeSSLClientHandler(context: context, serverHostname: name) {
            certificate, channel in
            let isForName = isFor(name, certificate)
            return channel.eventLoop.makeCompletedFuture {
                if !isForName { throw NIOSSLExtraError.failedToValidateHostname }
            }
        }
    }

    /// Whether a certificate has a name, itself or by a wildcard in place of its first label (RFC 9525, section 6.3).
    ///
    /// NIOSSL takes one for the address of the connection too, and a false answer of DNS leads to any address.
    static func isFor(_ name: String, _ certificate: NIOSSLCertificate) -> Bool {
        let name = name.lowercased()
        let wildcard = "*" + name.drop { $0 != "." }
        return certificate._subjectAlternativeNames().contains { other in
            let text = String(decoding: other.contents, as: UTF8.self).lowercased()
            return other.nameType == .dnsName && (text == name || text == wildcard && text != "*")
        }
    }

    private static func failure(_ error: any Error, isSent: Bool, isRouted: Bool) -> TransportError {
        func failed(_ code: TransportError.Code, _ message: String) -> TransportError {
            TransportError(code, message, requestMayHaveBeenSent: isSent)
        }
        return switch error {
        case let error as TransportError: error
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            failed(.insecureConnection, "The API's certificate is not trusted, or TLS failed: \(error)".printable())
        case is NIOConnectionError,
            is ChannelError where !isSent:
            failed(
                .unreachable,
                "\(isRouted ? "The proxy that https_proxy or all_proxy names" : "The API") cannot be reached.")
        case let error as NIOHTTPClientUpgradeError where error == .responseProtocolNotFound:
            failed(.connectionLost, "The API switched to another protocol than WebSocket.")
        default: failed(.connectionLost, "The API ended the connection in place of an answer to an upgrade.")
        }
    }

    private struct WebSocket: NIOTypedHTTPClientProtocolUpgrader {
        let supportedProtocol = "websocket"
        let requiredUpgradeHeaders: [String] = []

        func addCustom(upgradeRequestHeaders: inout HTTPHeaders) {}

        func shouldAllowUpgrade(upgradeResponse: HTTPResponseHead) -> Bool { true }

        func upgrade(channel: any Channel, upgradeResponse: HTTPResponseHead) -> EventLoopFuture<Outcome> {
            channel.eventLoop.makeCompletedFuture {
                // The tunnel alone reads from here on. TLS then goes on by itself until a record is whole.
                try channel.syncOptions?.setOption(.autoRead, value: false)
                let end = ProxyTunnel(holds: true)
                try channel.pipeline.syncOperations.addHandler(end)
                return .switched(upgradeResponse, NIOLoopBound(end, eventLoop: channel.eventLoop))
            }
        }
    }

    /// Reads an answer as a whole.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        let answer: EventLoopPromise<TransportResponse>
        private var response = TransportResponse(status: 0)

        init(_ answer: EventLoopPromise<TransportResponse>) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                (response.status, response.headers) = (Int(head.status.code), head.headers.transport)
            case .body(let piece):
                response.body.append(contentsOf: piece.readableBytesView)
                if response.body.count > ProxyLimits.refusalBytes {
                    answer.fail(
                        TransportError(
                            .responseTooLarge, "The answer to an upgrade is too large.", requestMayHaveBeenSent: true))
                    context.close(promise: nil)
                }
            case .end: answer.succeed(response)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            answer.fail(error)
            context.close(promise: nil)
        }

        func handlerRemoved(context: ChannelHandlerContext) { answer.fail(ChannelError.eof) }
    }

    /// Where a request goes.
    private struct Target: Sendable {
        let host: String
        /// The way through a proxy; nil for none.
        let route: ProxyRoute?
        let port: Int
        let isSecure: Bool
        private let authority: String
        private let path: String

        init(_ request: TransportRequest) throws {
            let url = request.url
            guard let host = url.host else {
                throw TransportError(.invalidRequest, "The URL has no host.", requestMayHaveBeenSent: false)
            }
            self.host = host.filter { !"[]".contains($0) }
            isSecure = url.scheme?.lowercased() == "https"
            port = url.port ?? (isSecure ? 443 : 80)
            authority = (self.host.contains(":") ? "[\(self.host)]" : self.host) + (url.port.map { ":\($0)" } ?? "")
            let text = url.path(percentEncoded: true)
            path = (text.isEmpty ? "/" : text) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
            route = isSecure ? try ProxyRoute.url(for: host).map(ProxyRoute.init) : nil
            // NIOSSL would look for the proxy's address in the certificate.
            if route != nil, isAddress {
                throw TransportError(
                    .invalidRequest, "A WebSocket goes through a proxy to an API with a name alone.",
                    requestMayHaveBeenSent: false)
            }
        }

        /// The authority with its port.
        var fullAuthority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

        /// Whether the host is an address, which is no name for TLS.
        var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }

        func head(_ request: TransportRequest) -> HTTPRequestHead {
            var fields = HTTPHeaders([("Host", authority)])
            for field in request.headers { fields.add(name: field.name, value: field.value) }
            return HTTPRequestHead(
                version: .http1_1, method: .init(rawValue: request.method.rawValue), uri: path, headers: fields)
        }
    }
}

extension HTTPHeaders {
    /// The fields for the library.
    fileprivate var transport: TransportHeaders {
        var result = TransportHeaders()
        for field in self { result.append(field.name, field.value) }
        return result
    }
}
