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
        default:
            troubles = Set(OpenIDProvider.Trouble.allCases.filter { request.parameters[$0.rawValue] != nil })
        }
        return .redirect(to: url(of: .home))
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
