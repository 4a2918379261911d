import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

/// A page that the provider shows: self-contained HTML, and a policy that admits nothing else.
struct ProviderPage: Sendable {
    var status = 200
    var title: String
    /// HTML, everything from outside escaped.
    var content: String
    /// Where its form may lead; the browser applies it to the redirect after the form too.
    var formTargets: [String] = []
    /// Sends the form without a click, when everything on the page is loaded.
    var submitsItself = false
    /// The origins of the pages that it shows within it.
    var frames: [String] = []
    /// Whether it is the provider's own page, whose form says where it comes from: without a referrer it would be `null`.
    var isOwn = false

    /// A refusal that must not travel to the redirect URI, because the redirect URI itself is wrong.
    static func problem(_ text: String) -> ProviderPage {
        ProviderPage(
            status: 400, title: "This request cannot be served", content: "<p role=\"alert\">\(text.markupEscaped)</p>")
    }

    /// After a logout that leads nowhere.
    static let loggedOut = ProviderPage(title: "You are logged out", content: "<p>You can close this window.</p>")

    /// Shows the clients their pages at the end of a session, and then goes back to the client that asked for it (OpenID Connect
    /// Front-Channel Logout 1.0, section 3).
    static func loggingOut(frames: [String], to redirectURI: String?) -> ProviderPage {
        var page = loggedOut
        page.frames = frames.map(origin(of:))
        page.content += frames.map { "<iframe src=\"\($0.markupEscaped)\" title=\"A client's logout\"></iframe>" }
            .joined()
        guard let redirectURI else { return page }
        let parts = URIReference(redirectURI)
        let fields = parts.query.flatMap { Parameters(decoding: $0) } ?? [:]
        page.content += """
            <form method="get" action="\(String(redirectURI.prefix { $0 != "?" }).markupEscaped)">
            \(hiddenFields(fields))
            <button type="submit">Continue</button>
            </form>
            """
        page.formTargets = [origin(of: redirectURI)]
        page.submitsItself = true
        return page
    }

    /// A form to consent, with name and password unless the user is logged in; the request as it was sent travels with it.
    ///
    /// - Parameter session: The login of this browser; nil when there is none, or another one was asked for.
    static func login(
        _ parameters: Parameters, sent: Parameters, client: String, session: ProviderState.BrowserSession?,
        message: String?
    ) -> ProviderPage {
        var request = sent
        for name in ["username", "password", "decision", "form"] { request[name] = nil }
        request["form"] = session?.formToken
        let alert = message.map { "<p role=\"alert\" class=\"alert\">\($0.markupEscaped)</p>" } ?? ""
        let scopes = (parameters["scope"] ?? "").split(separator: " ").map { "<li>\(String($0).markupEscaped)</li>" }
        let name = (parameters["username"] ?? parameters["login_hint"] ?? "").markupEscaped
        let identity =
            (session?.user).map { user in
                """
                <p>You are logged in as <strong>\(user.name.markupEscaped)</strong>.</p>
                <p><button type="submit" id="other" name="decision" value="other" class="quiet">Use another account</button></p>
                """
            } ?? credentialFields(name: name)
        return ProviderPage(
            title: session == nil ? "Log in" : "Allow access",
            content: """
                <p><strong>\(client.markupEscaped)</strong> asks for access.</p>
                <ul>\(scopes.joined())</ul>
                \(alert)
                <form method="post">
                \(hiddenFields(request))
                \(identity)
                \(decisionButtons)
                </form>
                """,
            formTargets: ["'self'", origin(of: parameters["redirect_uri"] ?? "")])
    }

    /// An authorization response as a form (OAuth 2.0 Form Post Response Mode, section 2).
    static func formPost(_ parameters: Parameters, to redirectURI: String) -> ProviderPage {
        ProviderPage(
            title: "One moment",
            content: """
                <form method="post" action="\(redirectURI.markupEscaped)">
                \(hiddenFields(parameters))
                <button type="submit">Continue</button>
                </form>
                """,
            formTargets: [origin(of: redirectURI)], submitsItself: true)
    }

    /// Name and password; the name is escaped already.
    static func credentialFields(name: String) -> String {
        """
        <label for="username">Name</label>
        <input id="username" name="username" value="\(name)" autocomplete="username" autofocus>
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password">
        """
    }

    static let decisionButtons = """
        <div class="buttons">
        <button type="submit" id="allow" name="decision" value="allow">Allow</button>
        <button type="submit" id="deny" name="decision" value="deny" class="quiet">Deny</button>
        </div>
        """

    static func hiddenFields(_ parameters: Parameters) -> String {
        parameters.names.flatMap { name in
            parameters.values(name).map { value in
                "<input type=\"hidden\" name=\"\(name.markupEscaped)\" value=\"\(value.markupEscaped)\">"
            }
        }.joined(separator: "\n")
    }

    /// The source expression of a redirect URI in a policy: scheme, host and port, or the scheme of an app.
    static func origin(of uri: String) -> String {
        let parts = URIReference(uri)
        let scheme = "\(parts.scheme ?? "https"):"
        guard let host = parts.host, !host.isEmpty else { return scheme }
        return "\(scheme)//\(host)" + (parts.port.map { ":\($0)" } ?? "")
    }
}
