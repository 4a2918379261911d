import AuthStateKit
import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The way to the provider and back.
struct LoginRoutes: Sendable {
    let provider: Provider
    let sessions: Sessions
    let seal: LoginSeal

    func add(to router: Router<BasicRequestContext>) {
        router.get("/login") { request, context in try await enter(request, context) }
        router.post("/login") { request, _ in try await post(request) }
        router.get("\(Provider.callbackPath)") { request, _ in try await complete(request) }
    }

    /// Begins the login of a person who came from a page of ours or typed the address; any other person is asked first.
    ///
    /// Browsers say in `Sec-Fetch-Site` where a navigation began. Without the question another site's link could sign a
    /// visitor in, as the user who is signed in at the provider.
    private func enter(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let path = request.queryParameters["return"].flatMap { ReturnPath($0) } ?? .profile
        if ["same-origin", "none"].contains(request.headers[Self.fetchSite]) { return try await begin(path) }
        let endpoint = try await provider.configuration().authorizationEndpoint
        let page = Page(
            title: "Sign in",
            content: """
                <p>Do you want to sign in here?</p>
                <nav><form method="post" action="/login">
                <input type="hidden" name="return" value="\(path.text)">
                <button class="button" id="login">Sign in</button></form>
                <a class="button quiet" href="/">Home</a></nav>
                """,
            formTarget: endpoint.flatMap(BaseURL.origin))
        return page.response(from: request, context: context)
    }

    /// Begins the login of a person who was asked; only our own form does.
    private func post(_ request: Request) async throws -> Response {
        guard request.headers[.origin] == provider.baseURL.origin else { throw Refusal.forgedForm }
        return try await begin(try await request.formParameters()["return"].flatMap { ReturnPath($0) } ?? .profile)
    }

    /// Sends the browser to the provider; the data to check on its return travel in its cookie, sealed.
    private func begin(_ path: ReturnPath) async throws -> Response {
        let pending = try await provider.begin()
        var response = Response.redirect(to: pending.url.absoluteString, type: .normal)
        BrowserCookie.login.set(try seal.seal(PendingLogin(pending, returningTo: path)), in: &response)
        return response
    }

    /// Handles the provider's answer. Until every check has passed nothing is changed, because any page can send the
    /// browser here.
    private func complete(_ request: Request) async throws -> Response {
        guard let login = BrowserCookie.login.text(in: request).flatMap(seal.open),
            provider.service.configuration.clock.now < login.expiresAt,
            ConstantTime.equals(request.queryParameters["state"] ?? "", login.state)
        else { throw Refusal.unknownLogin }
        let session = try await sessions.begin(
            try await provider.resume(login),
            callback: AuthorizationCallback(url: provider.baseURL(request.uri.string)),
            replacing: await sessions.formerSession(of: request))
        var response = Response.redirect(
            to: (ReturnPath(login.returnPath) ?? .profile).text, type: .found)
        BrowserCookie.login.remove(from: &response)
        BrowserCookie.session.set(session.secret.text, in: &response)
        return response
    }

    /// Where a navigation began (Fetch Metadata, section 2.4).
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
