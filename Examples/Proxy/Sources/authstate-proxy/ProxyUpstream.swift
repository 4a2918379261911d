import AuthStateKit
import AuthStateOAuth
import AuthStatePlatform

/// The API behind the proxy: every request goes to its base URL or below it.
struct ProxyUpstream: Sendable, Equatable, CustomStringConvertible {
    /// Scheme, host and port.
    let origin: String
    /// The base path: empty, or with a slash at its beginning and none at its end.
    let path: String

    /// Reads the base URL.
    ///
    /// - Throws: `AuthStateError` of kind usage for a URL that is not https, or http to this machine; or that has a query, a
    ///   fragment, a user, or dot segments.
    init(_ text: String) throws {
        guard let resource = try? ResourceIdentifier(text), let host = resource.url.host,
            resource.origin.hasPrefix("https:") || InternetAddress.isThisMachine(host)
        else { throw Self.refusal(text) }
        var path = String(resource.rawValue.dropFirst(resource.origin.count))
        while path.hasSuffix("/") { path.removeLast() }
        guard !path.contains("?"), ProxyPath.isContained(path) else { throw Self.refusal(text) }
        origin = resource.origin
        self.path = ProxyPath.encoded(path)
    }

    private static func refusal(_ text: String) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .usage, "The proxy needs the base URL of an API.",
            expected: "https, or http to this machine, without a query, such as https://api.example/v1",
            received: text.contains("@") ? nil : text)
    }

    /// The base URL.
    var description: String { origin + path }

    /// Returns the URL for a path below the base and a query.
    ///
    /// - Throws: `ProxyFailure` with 400 for a path that could leave the base.
    func url(for path: Substring, query: Substring?) throws(ProxyFailure) -> URL {
        guard ProxyPath.isContained(String(path)) else { throw .path }
        let query = query.map { "?" + ProxyPath.encoded(String($0)) } ?? ""
        let text = origin + self.path + ProxyPath.encoded(String(path)) + query
        guard let url = URL(string: text), url.absoluteString == text else { throw .path }
        return url
    }

    /// Returns the `Location` of an answer as the program has to see it: below the proxy where it is below the base, else
    /// an absolute URL.
    ///
    /// - Parameters:
    ///   - value: The header's value.
    ///   - url: The URL that answered.
    ///   - proxy: The proxy's base URL.
    func location(_ value: String, of url: URL, at proxy: String) -> String {
        guard let target = URL(string: value, relativeTo: url)?.absoluteString else { return value }
        if let rest = rest(of: target) { return proxy + rest }
        return URL(string: value)?.scheme == nil ? target : value
    }

    /// The part of a URL that follows the base; nil for a URL elsewhere.
    private func rest(of text: String) -> String? {
        let fragment = text.firstIndex(of: "#") ?? text.endIndex
        guard let resource = try? ResourceIdentifier(String(text[..<fragment])), resource.origin == origin else {
            return nil
        }
        let path = resource.rawValue.dropFirst(origin.count)
        let rest = path.dropFirst(self.path.count)
        guard path.hasPrefix(self.path), rest.first.map({ "/?".contains($0) }) ?? true,
            ProxyPath.isContained(String(rest.prefix { $0 != "?" }))
        else { return nil }
        return String(rest) + String(text[fragment...])
    }
}
