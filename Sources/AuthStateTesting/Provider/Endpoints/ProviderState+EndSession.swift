import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderState {
    /// RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0, sections 2 and 3); tokens are not touched.
    func endSession(_ request: OpenIDProvider.Request) throws(ProviderRefusal) -> LoopbackResponse {
        let parameters = request.parameters
        let hint = parameters["id_token_hint"].map { try? JSONWebToken(parsing: $0) }
        if let hint, hint?.claims["iss"]?.stringValue != issuer {
            return ProviderPage.problem("The ID token is not of this provider.").response
        }
        guard let redirectURI = parameters["post_logout_redirect_uri"] else { return ProviderPage.loggedOut.response }
        let audience = hint??.claims["aud"]?.stringValue
        guard let client = configuration.client(parameters["client_id"] ?? audience),
            audience.map({ $0 == client.id }) ?? true, client.allowsPostLogoutRedirect(to: redirectURI)
        else { return ProviderPage.problem("This address is not registered for the client.").response }
        var answer: Parameters = [:]
        answer["state"] = parameters["state"]
        configuration.deviations.endSessionResponse?(&answer)
        let separator = redirectURI.contains("?") ? "&" : "?"
        return .redirect(to: answer.isEmpty ? redirectURI : "\(redirectURI)\(separator)\(answer.encoded)")
    }
}
