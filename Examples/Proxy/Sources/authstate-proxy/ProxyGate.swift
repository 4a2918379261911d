import AuthStateKit
import AuthStatePlatform

/// Decides which requests are passed on, from their head alone.
struct ProxyGate: Sendable {
    let upstream: ProxyUpstream
    /// The key; nil for none.
    private(set) var key: ProxyKey?
    /// The port that the proxy listens on; nil for requests that come by its socket.
    private(set) var port: Int?
    /// The requests that are passed on; empty for all.
    var rules: [ProxyRule] = []

    /// The base URL for a program that sends the key in a header field.
    var base: String { port.map { "http://127.0.0.1:\($0)" } ?? "http://localhost" }

    /// The gate for requests that come by the socket: its file keeps other users out, and no web page reaches it.
    var forSocket: ProxyGate {
        var copy = self
        (copy.key, copy.port) = (nil, nil)
        return copy
    }

    /// The base URL for the program, with the key.
    var url: String { base + (key.map { "/\($0.segment)" } ?? "") }

    /// Returns the URL that a request goes to.
    func url(for head: ProxyHead) throws(ProxyFailure) -> URL {
        let place = Result { () throws(ProxyFailure) in
            try self.path(of: head.target, head.headers[values: ProxyKey.field])
        }
        do {
            try Self.checkProtocol(head)
            try checkSender(head.headers)
        } catch {
            // Without the key a request has no line in the audit. Where a port needs none, a page has none either.
            guard key != nil || port == nil, let place = try? place.get() else { throw error }
            throw error.at(upstream.path + place.path)
        }
        let (path, query) = try place.get()
        let url: URL
        do { url = try upstream.url(for: path, query: query) } catch { throw error.at(upstream.path + path) }
        guard rules.isEmpty || rules.contains(where: { $0.allows(head.kind, path) }) else {
            throw .rule.at(url.path(percentEncoded: true))
        }
        return url
    }

    /// Refuses what needs more than one request and one answer; TRACE would show the token to the program.
    private static func checkProtocol(_ head: ProxyHead) throws(ProxyFailure) {
        if ["CONNECT", "TRACE"].contains(head.method) { throw .method }
        if head.headers["Upgrade"] != nil, !head.opensWebSocket { throw .upgrade }
        if head.expectations.contains(where: { $0 != "100-continue" }) { throw .expectation }
    }

    /// Refuses web pages: by a name of their own that leads to this machine, and by what browsers say about a request's
    /// origin.
    private func checkSender(_ headers: TransportHeaders) throws(ProxyFailure) {
        let hosts = headers[values: "Host"].map { $0.lowercased() }
        let names = ["127.0.0.1", "[::1]", "localhost"]
        if let port {
            let isOwn =
                hosts.count == 1 && names.contains { hosts[0] == "\($0):\(port)" || port == 80 && hosts[0] == $0 }
            guard isOwn else { throw .host }
        }
        // A page of the API may lead to another one, and its scripts may not use the token.
        let sites = headers[values: "Sec-Fetch-Site"].map { $0.lowercased() }
        let isNavigation = headers[values: "Sec-Fetch-Mode"].map { $0.lowercased() } == ["navigate"]
        guard headers["Origin"] == nil, sites.allSatisfy({ $0 == "none" || $0 == "same-origin" && isNavigation })
        else { throw .page }
    }

    /// Returns the path after the key, and the query; the whole path where a header field has the key.
    private func path(
        of target: String, _ keys: [String]
    ) throws(ProxyFailure) -> (path: Substring, query: Substring?) {
        guard target.hasPrefix("/"), target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else { throw .target }
        guard target.utf8.count <= ProxyLimits.targetBytes else { throw .targetLength }
        let path = target.prefix { $0 != "?" }
        let query = path.endIndex == target.endIndex ? nil : target[path.endIndex...].dropFirst()
        guard let key else { return (path == "/" ? "" : path, query) }
        if !keys.isEmpty {
            guard keys.count == 1, key.opens(keys[0]) else { throw .notFound }
            return (path == "/" ? "" : path, query)
        }
        let segment = path.dropFirst().prefix { $0 != "/" }
        guard key.opens(segment) else { throw .notFound }
        return (path[segment.endIndex...], query)
    }
}

/// The head of a request.
struct ProxyHead: Sendable {
    var method = "GET"
    /// The target as it was sent.
    var target: String
    var headers: TransportHeaders = [:]

    /// Whether upgrades are known: not in HTTP/1.0 (RFC 9110, section 7.8).
    var knowsUpgrades = true

    /// Whether it opens a WebSocket (RFC 6455, section 4.1), the one protocol to which a connection may change: by another one, such
    /// as h2c, requests would pass unjudged.
    var opensWebSocket: Bool {
        let options = headers[values: "Connection"].flatMap { $0.split(separator: ",") }
        return knowsUpgrades && method == "GET" && headers[values: "Upgrade"].map { $0.lowercased() } == ["websocket"]
            && options.contains { $0.filter { $0 != " " && $0 != "\t" }.lowercased() == "upgrade" }
            && headers["Transfer-Encoding"] == nil && headers["Content-Length"] == nil && expectations.isEmpty
    }

    /// The method, for rules, questions and the audit. A WebSocket sends more than a GET does, and has a name of its own.
    var kind: String { opensWebSocket ? "WEBSOCKET" : method }

    /// The expectations (RFC 9110, section 10.1.1), in lower case.
    var expectations: [String] { headers[values: "Expect"].map { $0.lowercased() } }

    /// The number of bytes that the body has; nil when it is not announced.
    var length: Int? { headers["Content-Length"].flatMap { Int($0) } }

    /// Whether the body, if there is one, need not be read before the answer: it is not sent before a 100, or no HTTP
    /// follows.
    var isAnsweredAtOnce: Bool { method == "CONNECT" || headers["Upgrade"] != nil || !expectations.isEmpty }
}
