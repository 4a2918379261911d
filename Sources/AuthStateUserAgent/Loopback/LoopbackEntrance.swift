import AuthStateJOSE
package import AuthStateOAuth

/// The one-time address that a browser is given instead of the provider's page, and the cookie that the address sets.
///
/// All users of a machine can read a command's arguments. The address shows them neither the page nor its `state`, and
/// an answer without the cookie is refused, so another user cannot finish the login (RFC 8252, section 8.3).
package struct LoopbackEntrance: Sendable {
    /// The page that the address leads to.
    let page: String
    /// The path of the address: below the redirect URI's, with 256 random bits.
    package let path: String
    /// The cookie's name and value. The name has the port in it, because cookies do not keep to one (RFC 6265, 8.5).
    package let cookie: String
    private let cookiePath: String
    private let lifetime: Duration
    private var visits = 0

    /// Makes an address, and a cookie that the browser keeps for the lifetime.
    package init(to page: String, redirectURI: RedirectURI, lifetime: Duration) {
        (self.page, self.lifetime) = (page, lifetime)
        let place = redirectURI.path.isEmpty ? "/" : redirectURI.path
        path = place + (place.hasSuffix("/") ? "" : "/") + Self.random()
        cookie = "authstate-\(redirectURI.port ?? 80)=\(Self.random())"
        // A semicolon would end the attribute: then the cookie is for the folder.
        let folder = place.prefix { $0 != ";" }
        cookiePath = folder == place ? place : String(folder[...(folder.lastIndex(of: "/") ?? folder.startIndex)])
    }

    /// The header field that sets the cookie: for this host and path alone, hidden from scripts, and sent along when the
    /// provider's page leads back (RFC 6265bis, section 5.6.7).
    var setCookie: String {
        "\(cookie); Path=\(cookiePath); Max-Age=\(lifetime.components.seconds + 60); HttpOnly; SameSite=Lax"
    }

    /// Counts a visit, and returns whether it is admitted: only the first one is.
    package mutating func enter() -> Bool {
        visits += 1
        return TrustCheck.loopbackEntrance.holds(visits == 1)
    }

    /// Returns whether a request carries the cookie, perhaps among others of the same name.
    func admits(_ request: LoopbackRequest) -> Bool {
        let cookies = request.headers[values: "Cookie"].flatMap { $0.split(separator: ";") }
        return cookies.contains { ConstantTime.equals(String($0.drop { $0 == " " }), cookie) }
    }

    private static func random() -> String { Base64URL.encode(SecureRandom.bytes(32)) }
}
