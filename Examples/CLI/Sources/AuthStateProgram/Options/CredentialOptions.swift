import ArgumentParser
import AuthStatePlatform

/// Whom another program may send a token to as a password, and the user name beside it.
struct CredentialOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Answer for this host, with its port unless it is 443; may be repeated. Others get nothing.",
            valueName: "host"), transform: Self.name(of:))
    var host: [String] = []

    @Option(help: ArgumentHelp("The user name beside the token, when the question has none.", valueName: "name"))
    var username = "oauth2"

    func validate() throws {
        if host.isEmpty { throw ValidationError("--host has to name the host that the token is for.") }
        // HTTP's Basic scheme ends the name with a colon; docker takes what is beside <token> for that of another protocol.
        if username.isEmpty || username == "<token>" || username.contains(where: { $0.isNewline || ":\0".contains($0) })
        {
            throw ValidationError("--username has to be one line of text without a colon, and not <token>.")
        }
    }

    /// A host in lower case, without the port of https.
    private static func plain(_ host: String, isSecure: Bool = true) -> String {
        let host = host.lowercased()
        return isSecure && host.hasSuffix(":443") ? String(host.dropLast(4)) : host
    }

    /// Returns the host that an option names, also by the URL of the server.
    private static func name(of text: String) throws -> String {
        guard text.contains("/") else { return text }
        guard let host = text.hostOfURL else {
            throw ValidationError("'\(text)' names no host; write it without a path, for example git.example.")
        }
        return host
    }

    /// Whether a credential may go to a server: it is one of the hosts, and the connection is https, or stays on this machine.
    func include(_ server: String, scheme: String) -> Bool {
        let name = Self.plain(server, isSecure: scheme == "https")
        // Byte by byte: Unicode has other characters that it calls the same, or makes lower case of.
        guard server.utf8.allSatisfy({ $0 < 0x80 }),
            host.contains(where: { Self.plain($0).utf8.elementsEqual(name.utf8) })
        else { return false }
        return scheme == "https" || scheme == "http" && URL(string: "http://\(name)")?.isLoopback == true
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
