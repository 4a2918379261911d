import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderPage {
    /// What a provider knows, what goes wrong there, and what it was asked.
    static func home(of provider: ProviderState) -> ProviderPage {
        let configuration = provider.base
        let users = configuration.users.map { "\(code($0.name)), password \(code($0.password))" }
        let clients = configuration.clients.map { client in
            "\(code(client.id)), "
                + (client.secret.map { "secret \(code($0))" } ?? (client.isPublic ? "public" : "with a key"))
        }
        let troubles = OpenIDProvider.Trouble.allCases.map { trouble in
            let (name, mark) = (trouble.rawValue, provider.troubles.contains(trouble) ? " checked" : "")
            return """
                <label class="choice"><input type="checkbox" name="\(name)" value="1"\(mark)> \
                <span>\(code(name)) \(trouble.summary.markupEscaped)</span></label>
                """
        }
        let asked = provider.askedLogins.map { code, user, login in
            """
            <form method="post"><input type="hidden" name="login" value="\(code.markupEscaped)">
            <p>\(self.code(login.clientID)) asks \(self.code(user.name)) to log in\(login.scopes.isEmpty ? "" : " with ")\
            \(login.scopes.map(self.code).joined(separator: " ")).</p>
            <div class="buttons"><button type="submit" name="action" value="allow">Allow</button>
            <button type="submit" name="action" value="deny" class="quiet">Deny</button></div></form>
            """
        }
        let requests = provider.log.suffix(20).reversed().map { line in
            code("\(line.date.formatted(.iso8601.time(includingFractionalSeconds: false))) \(line.message)")
        }
        return ProviderPage(
            title: "OpenID provider for tests only",
            content: """
                <p>Issuer \(code(provider.issuer)). For tests only: this page shows every password and secret.</p>
                <h2>Users</h2>
                \(list(users))
                <h2>Clients</h2>
                \(list(clients))
                <p>The API is \(code(provider.url(of: .resource))).</p>
                \(asked.isEmpty ? "" : "<h2>Logins that wait for an answer</h2>")
                \(asked.joined(separator: "\n"))
                <h2>Newest requests</h2>
                \(requests.isEmpty ? "<p>None yet.</p>" : list(requests))
                <h2>What goes wrong</h2>
                <form method="post">
                <div class="choices">
                \(troubles.joined(separator: "\n"))
                </div>
                <div class="buttons"><button type="submit" id="apply">Apply</button></div>
                </form>
                <form method="post" class="buttons">
                <button type="submit" name="action" value="expire" class="quiet">Expire access tokens</button>
                <button type="submit" name="action" value="revoke" class="quiet">Revoke all grants</button>
                </form>
                """, formTargets: ["'self'"], isOwn: true)
    }

    private static func code(_ text: String) -> String { "<code>\(text.markupEscaped)</code>" }

    private static func list(_ items: [String]) -> String { "<ul>\(items.map { "<li>\($0)</li>" }.joined())</ul>" }
}
