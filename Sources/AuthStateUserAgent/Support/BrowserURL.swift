import AuthStateFoundation

/// A URL that may be given to a browser: http or https, with a host, without user and password, in printable ASCII.
///
/// Other schemes start other programs, and a text that begins with a hyphen is an option to a command.
struct BrowserURL: Sendable, Hashable {
    let url: URL

    /// Serialises the URL again from its parts; nil when it is not one to open.
    init?(_ given: URL) {
        guard let parts = URLComponents(url: given, resolvingAgainstBaseURL: true), let text = parts.string,
            let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http",
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil,
            text.lowercased().hasPrefix("\(scheme)://"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URL(string: text)
        else { return nil }
        self.url = url
    }

    var text: String { url.absoluteString }
}
