public import AsyncHTTPClient
public import AuthStateKit
import Dispatch
import NIOCore
import NIOHTTPCompression

/// HTTP through AsyncHTTPClient, for servers that use it already: no libcurl is needed then.
///
/// All exchanges and connections live on one event loop. So a timeout that fires elsewhere cannot overtake the client's
/// report that a request was sent, and `requestMayHaveBeenSent` is correct.
///
/// A proxy of the configuration and TLS before 1.2 are not used where that is not safe: a proxy carries no request to
/// this machine, and none whose `addressPolicy` is strict. Such a request connects directly; the address is checked
/// when the connection stands, so that an address which is not allowed sees a TLS handshake, and nothing of the
/// request.
///
/// `stream(_:)` reads the whole answer first: server-sent events need the system's transport.
///
/// Shut it down at the end of the program. A transport that is released without a shutdown closes its connections in
/// the background.
public final class AsyncHTTPClientTransport: HTTPTransport {
    private let clients: Clients

    /// Makes a transport with connections of its own.
    ///
    /// - Parameters:
    ///   - configuration: TLS (1.2 at least), proxy, pool and connection timeout (10 s, TLS included). Three settings are
    ///     not taken from it: no redirect is followed; a connection that failed is not tried again behind the caller's
    ///     back; bodies are decompressed.
    ///   - maximumDecompressedBytes: The most bytes that any body may inflate to, whatever a request allows.
    public init(configuration: HTTPClient.Configuration = .init(), maximumDecompressedBytes: Int = 16 << 20) {
        var configuration = configuration.withCurrentTLS
        configuration.timeout.connect = configuration.timeout.connect ?? .seconds(10)
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.decompression = .enabled(limit: .size(maximumDecompressedBytes))
        let loop = HTTPClient.defaultEventLoopGroup.next()
        clients = Clients(configuration, on: loop)
    }

    // AsyncHTTPClient stops the program when a client is released with open connections.
    deinit { for client in clients.all { client.shutdown(queue: .global()) { _ in } } }

    /// Sends a request and returns the whole answer, of any status.
    ///
    /// - Throws: `TransportError`, or `CancellationError` as soon as the task is cancelled.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let exchange = Exchange(maximumBytes: max(0, request.maximumResponseBytes))
        do {
            let message = try HTTPClient.Request(request)
            try Task.checkCancellation()
            let deadline = NIODeadline.now() + TimeAmount(min(request.timeout, .seconds(86_400)))
            let task = try clients.client(for: request).execute(
                request: message, delegate: exchange, deadline: deadline)
            return try await withTaskCancellationHandler {
                try await task.get()
            } onCancel: {
                task.cancel()
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw TransportError(error, request, wasSent: exchange.wasSent)
        }
    }

    /// Closes every connection; requests in progress fail. Waits for connections that are being made.
    ///
    /// - Throws: `HTTPClientError` when it was called before.
    public func shutdown() async throws { for client in clients.all { try await client.shutdown() } }
}
