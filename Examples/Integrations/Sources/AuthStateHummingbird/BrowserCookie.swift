import Hummingbird

/// A cookie that only this host can have set and only HTTP can read.
///
/// `__Host-` makes the browser insist on `Secure`, `Path=/` and no `Domain`, so that neither a sibling host nor a
/// network attacker can plant one. Browsers take http on loopback for secure (Chromium and Firefox do, Safari does
/// not).
///
/// `SameSite=Lax` and not `Strict`: the provider's redirect to the callback is a navigation from another site, with
/// which a strict cookie would not travel. Lax cookies travel with such GETs alone: the logout is a POST.
struct BrowserCookie: Sendable {
    let name: String
    /// In seconds; nil until the browser is closed.
    let lifetime: Int?

    /// A login in progress.
    static let login = BrowserCookie(name: "__Host-login", lifetime: 600)
    /// A logout for which the browser went to the provider.
    static let logout = BrowserCookie(name: "__Host-logout", lifetime: 600)
    /// The session of a signed-in user.
    static let session = BrowserCookie(name: "__Host-session", lifetime: nil)

    /// The text in a request's cookie.
    func text(in request: Request) -> String? { request.cookies[name]?.value }

    /// The secret in a request's cookie.
    func secret(in request: Request) -> BrowserSecret? { request.cookies[name].flatMap { BrowserSecret($0.value) } }

    /// Makes the browser keep a text.
    func set(_ text: String, in response: inout Response) { write(text, lifetime, &response) }

    /// Makes the browser forget it.
    func remove(from response: inout Response) { write("", 0, &response) }

    private func write(_ value: String, _ maxAge: Int?, _ response: inout Response) {
        response.setCookie(
            Cookie(
                name: name, value: value, maxAge: maxAge, path: "/", secure: true, httpOnly: true, sameSite: .lax))
    }
}
