import AuthStateKit
import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What people see who are signed in, or could be.
struct SessionRoutes: Sendable {
    let provider: Provider
    let sessions: Sessions
    /// Shown to those who are not signed in.
    let hint: HTML

    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { request, _ in try await home(request) }
        router.get("/profile") { request, _ in try await profile(request) }
        router.post("/logout") { request, _ in try await logOut(request) }
        router.get("/logout") { request, context in try await loggedOut(request, context) }
    }

    private func home(_ request: Request) async throws -> Page {
        guard let session = try await sessions.session(of: request), session.state.isAuthorized else {
            return Page(
                title: "Welcome",
                content: """
                    <p>You are not signed in.</p>
                    \(hint)
                    <nav><a class="button" id="login" href="/login">Sign in</a></nav>
                    """)
        }
        let name = session.name.map { name -> HTML in " as <strong id=\"name\">\(name)</strong>" }
        return try page(
            "Welcome", of: session, content: "<p>You are signed in\(name ?? "").</p>",
            link: "<a class=\"button\" href=\"/profile\">Profile</a>")
    }

    /// Asks the provider who this is, with a token that is fresh: it is renewed on the way when it has to be.
    private func profile(_ request: Request) async throws -> Page {
        guard let session = try await sessions.session(of: request) else { throw Refusal.notSignedIn }
        let person = try await session.state.userInfo()
        let current = session.state.current
        let claims = [
            ("name", "Name", person.name), ("email", "Email", person.email), ("subject", "Subject", person.subject),
            ("scope", "Granted", current.scope),
            ("expiry", "Token ends", current.accessTokenExpirationDate.map { "\($0)" } ?? "when the provider says so"),
            ("revision", "Changes of the state", "\(current.revision)"),
        ]
        let rows = claims.map { id, label, value -> HTML in
            "<dt>\(label)</dt><dd id=\"\(id)\">\(value ?? "unknown")</dd>"
        }
        return try page(
            "Profile", of: session, content: "<dl>\(HTML(joining: rows))</dl>",
            link: "<a class=\"button quiet\" href=\"/\">Home</a>")
    }

    /// Signs out. Only our own form does: its token is bound to the session, and the browser says where it came from.
    private func logOut(_ request: Request) async throws -> Response {
        guard let session = try await sessions.session(of: request) else { return .redirect(to: "/", type: .normal) }
        let form = try await request.formParameters()
        guard request.headers[.origin] == provider.baseURL.origin,
            ConstantTime.equals(form["token"] ?? "", try session.secret.formToken())
        else { throw Refusal.forgedForm }
        let next = try await sessions.end(session)
        var response = Response.redirect(to: next ?? Provider.logoutPath, type: .normal)
        BrowserCookie.session.remove(from: &response)
        return response
    }

    /// Where the provider sends the browser afterwards. It says nothing untrue to those who come here by themselves.
    private func loggedOut(_ request: Request, _ context: some RequestContext) async throws -> Response {
        guard try await sessions.session(of: request) == nil else { return .redirect(to: "/", type: .normal) }
        return Self.signedOut.response(from: request, context: context)
    }

    private static let signedOut = Page(
        title: "You are signed out",
        content:
            "<nav><a class=\"button\" href=\"/login\">Sign in</a> <a class=\"button quiet\" href=\"/\">Home</a></nav>")

    /// A page with the button to sign out.
    private func page(_ title: String, of session: Session, content: HTML, link: HTML) throws -> Page {
        Page(
            title: title,
            content: """
                \(content)
                <nav>\(link)
                <form method="post" action="/logout">
                <input type="hidden" name="token" value="\(try session.secret.formToken())">
                <button class="button quiet" id="logout">Sign out</button></form></nav>
                """,
            formTarget: session.state.snapshot.configuration.endSessionEndpoint.flatMap(BaseURL.origin))
    }
}
