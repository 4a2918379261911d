import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderState {
    /// The provider's own page, and the change of what goes wrong that its form asks for.
    mutating func home(_ request: Request) -> LoopbackResponse {
        guard request.method == .post else { return ProviderPage.home(of: self).response }
        guard let sender = request.headers["Origin"], URIReference(sender).origin == URIReference(origin).origin else {
            return ProviderPage.problem("This form was sent from another page. Open \(issuer)/ and use its form.")
                .response
        }
        switch request.parameters["action"] {
        case "revoke": revokeGrants()
        case "expire": expireAccessTokens()
        case let action? where ["allow", "deny"].contains(action):
            let code = request.parameters["login"] ?? ""
            if let login = pendingLogins[code], login.isWaiting(at: now) {
                decide(code, allowing: action == "allow" ? login.user : nil)
            }
        default:
            troubles = Set(OpenIDProvider.Trouble.allCases.filter { request.parameters[$0.rawValue] != nil })
        }
        return .redirect(to: url(of: .home))
    }

    /// The logins that the provider asks a user about (CIBA), by what their tokens are requested with.
    var askedLogins: [(code: String, user: User, login: PendingLogin)] {
        pendingLogins.compactMap { code, login in
            login.isWaiting(at: now) ? login.user.map { (code, $0, login) } : nil
        }.sorted { ($0.login.expiresAt, $0.code) < ($1.login.expiresAt, $1.code) }
    }

    mutating func revokeGrants() {
        for id in grants.keys { grants[id]?.isRevoked = true }
        accessTokens = [:]
    }

    mutating func expireAccessTokens() {
        for token in accessTokens.keys { accessTokens[token]?.expiresAt = -.infinity }
    }

    /// Keeps a line for the page; the newest fifty stay.
    mutating func note(_ line: OpenIDProvider.LogLine) {
        if log.count == 50 { log.removeFirst() }
        log.append(line)
    }
}
