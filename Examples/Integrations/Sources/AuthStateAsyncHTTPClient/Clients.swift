import AsyncHTTPClient
import AuthStateKit
import AuthStateOAuth
import NIOCore
import NIOSSL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The clients of a transport: a proxy, and a check of addresses, belong to a client and not to a request.
struct Clients: Sendable {
    /// An address that the request's policy does not allow.
    struct AddressRefused: Error {
        var address: InternetAddress?
    }

    /// As configured.
    private let usual: HTTPClient
    /// Without a proxy, which would read requests to this machine in clear text.
    private let direct: HTTPClient
    /// Without a proxy, which would resolve names in our place, and only to public addresses.
    private let publicOnly: HTTPClient

    init(_ configuration: HTTPClient.Configuration, on loop: any EventLoop) {
        func client(_ configuration: HTTPClient.Configuration) -> HTTPClient {
            HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: configuration)
        }
        usual = client(configuration)
        var configuration = configuration
        configuration.proxy = nil
        direct = client(configuration)
        // Called when a connection stands, TLS included, before it is used.
        configuration.http1_1ConnectionDebugInitializer = Self.checkAddress
        configuration.http2ConnectionDebugInitializer = Self.checkAddress
        publicOnly = client(configuration)
    }

    var all: [HTTPClient] { [usual, direct, publicOnly] }

    /// The client for a request.
    ///
    /// - Throws: `TransportError` with `.addressNotAllowed` when the URL itself names an address that is not public.
    func client(for request: TransportRequest) throws -> HTTPClient {
        let host = request.url.hostAsWritten
        guard request.addressPolicy.allows(host: host) else {
            throw TransportError.notPublic(request.peer, InternetAddress(host: host))
        }
        if request.addressPolicy != .any { return publicOnly }
        return InternetAddress.isThisMachine(host) ? direct : usual
    }

    @Sendable private static func checkAddress(_ channel: any Channel) -> EventLoopFuture<Void> {
        let address = channel.remoteAddress.flatMap(InternetAddress.init)
        if let address, AddressPolicy.publicOnly.allows(address) { return channel.eventLoop.makeSucceededVoidFuture() }
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(AddressRefused(address: address))
    }
}

extension InternetAddress {
    fileprivate init?(_ address: SocketAddress) {
        // Without the zone of a link-local address.
        guard let text = address.ipAddress?.prefix(while: { $0 != "%" }) else { return nil }
        self.init(host: text.contains(":") ? "[\(text)]" : String(text))
    }
}

extension URL {
    /// The host, an IPv6 address in its brackets.
    fileprivate var hostAsWritten: String {
        let host = host() ?? ""
        return host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }
}

extension HTTPClient.Configuration {
    /// With TLS 1.2 at least: the client's own default still accepts 1.0 (RFC 8996, RFC 9325).
    var withCurrentTLS: HTTPClient.Configuration {
        var copy = self
        var tls = tlsConfiguration ?? .makeClientConfiguration()
        if [.tlsv1, .tlsv11].contains(tls.minimumTLSVersion) { tls.minimumTLSVersion = .tlsv12 }
        copy.tlsConfiguration = tls
        return copy
    }
}
