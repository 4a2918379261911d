import AuthStateKit
import AuthStatePlatform
import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(Darwin)
    private let keepAliveIdle = TCP_KEEPALIVE
#else
    private let keepAliveIdle = TCP_KEEPIDLE
#endif

/// The listener on this machine's own addresses, and nothing else.
struct ProxyServer: Sendable {
    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    typealias Listener = NIOAsyncChannel<Connection, Never>

    private let group: MultiThreadedEventLoopGroup
    private let listeners: [Listener]
    private let socket: (file: ProxySocket, listener: Listener)?
    private let places: ProxyPlaces
    /// The port.
    let port: Int

    /// Listens on 127.0.0.1, and on ::1 with the same port where that is possible: some programs look for localhost there
    /// first.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any free one.
    ///   - socket: The path of a Unix socket to listen on too; nil for none.
    init(port: Int, socket path: String? = nil) async throws {
        let file = try path.map(ProxySocket.init)
        places = ProxyPlaces(ProxyLimits.connections(for: ProxyDescriptors.raise()))
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let listener = try await Self.listener(on: "127.0.0.1", port, group)
            self.port = listener.channel.localAddress?.port ?? port
            do {
                listeners = [listener, try await Self.listener(on: "::1", self.port, group)]
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                // Programs may try ::1 first for localhost: the key would go to the program that listens there.
                throw error
            } catch {
                // This machine has no IPv6.
                listeners = [listener]
            }
            if let file {
                let bootstrap = ServerBootstrap(group: group)
                    .serverChannelInitializer(Self.keep)
                    .childChannelOption(.allowRemoteHalfClosure, value: true)
                let listener = try await bootstrap.bind(file.descriptor, childChannelInitializer: Self.configure)
                socket = (file, listener)
            } else {
                socket = nil
            }
        } catch {
            file?.remove()
            try? await group.shutdownGracefully()
            throw AuthStateError(
                .portInUse, stage: .usage, "The proxy cannot listen on port \(port) of this machine.",
                hint: "Use --port 0 for any free port, or end the program that holds it.", underlying: error)
        }
    }

    private static func listener(
        on host: String, _ port: Int, _ group: MultiThreadedEventLoopGroup
    ) async throws -> Listener {
        try await ServerBootstrap(group: group)
            .serverChannelInitializer(keep)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // A program may end its side after the request, and waits for the answer all the same.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // A program that has ended in the middle of a silent stream is noticed by the system.
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.tcpOption(.init(rawValue: keepAliveIdle)), value: 15)
            .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 15)
            .bind(host: host, port: port, childChannelInitializer: configure)
    }

    /// Keeps a listener while no connection can be accepted.
    @Sendable private static func keep(_ listener: any Channel) -> EventLoopFuture<Void> {
        listener.eventLoop.makeCompletedFuture {
            try listener.pipeline.syncOperations.addHandler(ProxyAcceptPause())
        }
    }

    /// Makes a new connection one of HTTP.
    @Sendable private static func configure(_ channel: any Channel) -> EventLoopFuture<Connection> {
        channel.eventLoop.makeCompletedFuture {
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = ProxyLimits.headerBytes
            limits.maxHeaderListSize = ProxyLimits.headerBytes
            var encoding = HTTPResponseEncoder.Configuration()
            encoding.automaticallySetFramingHeaders = false
            try channel.pipeline.syncOperations.addHandler(ProxyTunnel(holds: false))
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                withErrorHandling: false, withEncoderConfiguration: encoding, withDecoderLimitConfiguration: limits)
            try channel.pipeline.syncOperations.addHandler(ProxyParserRefusals())
            try channel.pipeline.syncOperations.addHandler(ProxyProbe())
            return try Connection(wrappingChannelSynchronously: channel)
        }
    }

    /// Serves connections until the task is cancelled, then closes them and frees the port.
    func run(_ forwarder: ProxyForwarder) async throws {
        defer { socket?.file.remove() }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for listener in listeners {
                    group.addTask { try await listener.executeThenClose { try await serve($0, forwarder) } }
                }
                if let listener = socket?.listener {
                    let forwarder = forwarder.forSocket
                    group.addTask { try await listener.executeThenClose { try await serve($0, forwarder) } }
                }
                try await group.next()
                group.cancelAll()
            }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try? await group.shutdownGracefully()
    }

    /// Serves the connections of a listener. One that finds no place waits, and later ones in the system's queue.
    private func serve(
        _ connections: NIOAsyncChannelInboundStream<Connection>, _ forwarder: ProxyForwarder
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for try await connection in connections {
                await places.enter(connection.channel)
                group.addTask { await ProxyConnection(connection, forwarder, places).serve() }
            }
            group.cancelAll()
        }
    }
}

/// Answers bytes that are no HTTP request: 431 for too many bytes of headers, else 400. The decoder then closes the
/// connection.
final class ProxyParserRefusals: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var hasBegunAnswer = false
    /// Whether this is the answer: no other one follows.
    private var hasRefused = false

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError, !hasBegunAnswer, !hasRefused {
            hasRefused = true
            let failure: ProxyFailure = error == .headerOverflow ? .headers : .malformed
            for part in failure.answer.parts(isLast: true) + [.end(nil)] {
                context.write(wrapOutboundOut(part), promise: nil)
            }
            context.flush()
        }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if hasRefused {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.code < 200: break
        case .head: hasBegunAnswer = true
        case .body: break
        case .end: hasBegunAnswer = false
        }
        context.write(data, promise: promise)
    }
}

extension ProxyAnswer {
    /// The answer for NIO, as far as it has come, without its end.
    ///
    /// - Parameter isLast: Whether the connection ends with it.
    func parts(isLast: Bool) -> [HTTPServerResponsePart] {
        var fields = HTTPHeaders(headers.map { ($0.name, $0.value) })
        if isLast { fields.replaceOrAdd(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: fields)
        return [.head(head)] + (body.isEmpty ? [] : [.body(.byteBuffer(ByteBuffer(bytes: body)))])
    }
}

extension ProxyHead {
    /// The head of NIO's.
    init(_ head: HTTPRequestHead) {
        method = head.method.rawValue
        target = head.uri
        knowsUpgrades = head.version == .http1_1
        for field in head.headers { headers.append(field.name, field.value) }
    }
}
