import ArgumentParser
import AuthStatePlatform

/// The hosts that a credential may go to, each with its port unless it is 443.
struct CredentialHosts {
    private let names: [String]

    init(_ names: [String]) { self.names = names.map(Self.plain) }

    /// A host without the port of https.
    private static func plain(_ host: some StringProtocol) -> String {
        String(host.hasSuffix(":443") ? host.dropLast(4) : host[...])
    }

    /// Returns the host that an option names, also by the URL of the server.
    static func name(of text: String) throws -> String {
        guard text.contains("/") else { return text }
        guard let host = text.hostOfURL else {
            throw ValidationError("'\(text)' names no host; write it without a path, for example git.example.")
        }
        return host
    }

    /// Whether a credential may go to a server: it is one of the hosts, and the connection is https, or stays on this machine.
    func include(_ host: String, scheme: String) -> Bool {
        // Byte by byte: Unicode has other characters that it calls the same, or makes lower case of.
        guard host.utf8.allSatisfy({ $0 < 0x80 }),
            names.contains(where: { $0.lowercased().utf8.elementsEqual(Self.plain(host.lowercased()).utf8) })
        else { return false }
        return scheme == "https" || scheme == "http" && URL(string: "http://\(host)")?.isLoopback == true
    }

    /// The same for a registry, which docker names with a scheme and a path or without.
    ///
    /// Without a scheme it is one by https, unless the user has set that program up otherwise.
    func include(registry: String) -> Bool {
        let mark = registry.firstRange(of: "://")
        let scheme = mark.map { registry[..<$0.lowerBound].lowercased() } ?? "https"
        return include(
            String(registry[(mark?.upperBound ?? registry.startIndex)...].prefix { $0 != "/" }), scheme: scheme)
    }
}

extension String {
    /// The host of the URL of a server, without path and user, with its port unless it is 443; nil for other texts.
    var hostOfURL: String? {
        guard let url = URL(string: self), let host = url.host, ["https", "http"].contains(url.scheme?.lowercased()),
            ["", "/"].contains(url.path), url.user == nil, url.query == nil
        else { return nil }
        return host + (url.port.map { $0 == 443 ? "" : ":\($0)" } ?? "")
    }
}

extension URL {
    /// Whether the URL is one of this machine's.
    var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(host ?? "") }
}
