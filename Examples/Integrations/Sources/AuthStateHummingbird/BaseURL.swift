#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The origin under which browsers find this server: scheme, host and port, as they see them, a TLS-terminating proxy
/// included.
public struct BaseURL: Sendable, Hashable {
    /// For example `https://app.example`; the value of `Origin` in browsers' requests.
    public let origin: String
    /// Whether browsers use https.
    public let isSecure: Bool
    /// Whether the host is this machine.
    public let isLoopback: Bool

    /// Reads a URL; nil when it is not an http(s) URL of a host alone.
    public init?(_ text: String) {
        guard let url = URL(string: text), let origin = Self.origin(of: url), ["", "/"].contains(url.path()),
            url.user == nil, url.query == nil, url.fragment == nil
        else { return nil }
        self.origin = origin
        isSecure = origin.hasPrefix("https:")
        isLoopback = ["127.0.0.1", "localhost", "[::1]"].contains(Self.host(of: url))
    }

    /// Scheme, host and port of a URL as browsers write them: in lower case, the default port left out.
    private static func origin(of url: URL) -> String? {
        guard let scheme = url.scheme?.lowercased(), let host = host(of: url),
            let usual = ["http": 80, "https": 443][scheme]
        else { return nil }
        let port = url.port ?? usual
        return port == usual ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    private static func host(of url: URL) -> String? {
        guard let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty else { return nil }
        return host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// Host and port, as browsers send them as `Host`.
    public var authority: Substring { origin.drop { $0 != "/" }.drop { $0 == "/" } }

    /// The address of a page.
    public func callAsFunction(_ path: String) -> String { origin + path }
}
