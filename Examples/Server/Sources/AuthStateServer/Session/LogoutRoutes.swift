import AuthStateKit
import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The logout: here at once, then at the provider, and back.
struct LogoutRoutes: Sendable {
    let provider: Provider
    let sessions: Sessions
    let logouts: PendingLogouts

    func add(to router: Router<BasicRequestContext>) {
        router.post("\(Provider.logoutPath)") { request, _ in try await logOut(request) }
        router.get("\(Provider.logoutPath)") { request, context in try await loggedOut(request, context) }
    }

    /// Signs out. Only this server's own form does: its token is bound to the session, and the browser names its
    /// origin.
    private func logOut(_ request: Request) async throws -> Response {
        guard let session = try await sessions.session(of: request) else { return .redirect(to: "/", type: .normal) }
        let form = try await request.formParameters()
        guard request.headers[.origin] == provider.baseURL.origin,
            ConstantTime.equals(form["token"] ?? "", try session.secret.formToken())
        else { throw Refusal.forgedForm }
        let logout = try await sessions.end(session)
        var response = Response.redirect(to: logout?.url.absoluteString ?? Provider.logoutPath, type: .normal)
        BrowserCookie.session.remove(from: &response)
        if let logout {
            let secret = try BrowserSecret()
            let end = provider.service.configuration.clock.now.addingTimeInterval(600)
            await logouts.keep(logout, until: end, for: secret)
            BrowserCookie.logout.set(secret.text, in: &response)
        }
        return response
    }

    /// The page to which the provider sends the browser afterwards. Its text is also true for a direct visit.
    private func loggedOut(_ request: Request, _ context: some RequestContext) async throws -> Response {
        guard try await sessions.session(of: request) == nil else { return .redirect(to: "/", type: .normal) }
        guard let secret = BrowserCookie.logout.secret(in: request) else {
            return Self.page().response(from: request, context: context)
        }
        guard let logout = await logouts.take(answeredBy: request.queryParameters, for: secret),
            (try? provider.service.complete(
                logout, callback: AuthorizationCallback(url: provider.baseURL(request.uri.string)))) != nil
        else { return Self.page(isConfirmed: false).response(from: request, context: context) }
        var response = Self.page().response(from: request, context: context)
        BrowserCookie.logout.remove(from: &response)
        return response
    }

    private static func page(isConfirmed: Bool = true) -> Page {
        let doubt: HTML = "<p id=\"doubt\">The sign-in service did not confirm that you are signed out there too.</p>"
        return Page(
            title: "You are signed out",
            content: """
                \(isConfirmed ? "" : doubt)
                <nav><a class="button" href="/login">Sign in</a> <a class="button quiet" href="/">Home</a></nav>
                """)
    }
}
