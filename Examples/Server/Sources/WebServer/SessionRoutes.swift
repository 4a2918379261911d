import AuthStateHummingbird
import AuthStateKit
import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The pages of signed-in users, and the home page.
struct SessionRoutes: Sendable {
    let sessions: OpenIDSessions
    /// Shown to users who are not signed in.
    let hint: HTML

    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { request, _ in try await home(request) }
        router.get("/profile") { request, _ in try await profile(request) }
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

    /// Asks the provider for the user's claims, with a fresh token, which is renewed first if necessary.
    private func profile(_ request: Request) async throws -> Page {
        guard let session = try await sessions.session(of: request) else { throw OpenIDRefusal.notSignedIn }
        let person = try await session.state.userInfo()
        let current = session.state.status
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

    /// A page with the button to sign out.
    private func page(_ title: String, of session: OpenIDSession, content: HTML, link: HTML) throws -> Page {
        Page(
            title: title,
            content: """
                \(content)
                <nav>\(link)
                <form method="post" action="\(sessions.configuration.paths.logout)">
                <input type="hidden" name="token" value="\(try session.formToken)">
                <button class="button quiet" id="logout">Sign out</button></form></nav>
                """)
    }
}
