import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

/// A session of a client that ends, of which the client is told.
struct EndedSession: Sendable {
    var client: OpenIDProvider.Client
    var subject: String
    var sessionID: String
}

extension ProviderState {
    /// RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0, sections 2 and 3); tokens are not touched.
    mutating func endSession(_ request: Request) throws(ProviderRefusal) -> ProviderDecision {
        let parameters = request.parameters
        let hint = parameters["id_token_hint"].map { try? JSONWebToken(parsing: $0) }
        if let hint, hint?.claims["iss"]?.stringValue != issuer {
            return .response(ProviderPage.problem("The ID token is not of this provider.").response)
        }
        var destination: String?
        if let redirectURI = parameters["post_logout_redirect_uri"] {
            let audience = hint??.claims["aud"]?.stringValue
            guard let client = configuration.client(parameters["client_id"] ?? audience),
                audience.map({ $0 == client.id }) ?? true, client.allowsPostLogoutRedirect(to: redirectURI)
            else { return .response(ProviderPage.problem("This address is not registered for the client.").response) }
            var answer: Parameters = [:]
            answer["state"] = parameters["state"]
            configuration.deviations.endSessionResponse?(&answer)
            let separator = redirectURI.contains("?") ? "&" : "?"
            destination = answer.isEmpty ? redirectURI : "\(redirectURI)\(separator)\(answer.encoded)"
        }
        let named = [hint??.claims["sid"]?.stringValue, browser(of: request)?.sessionID]
        let ended = endSessions(named.compactMap(\.self))
        let frames = ended.compactMap(frame(of:))
        let response =
            frames.isEmpty
            ? destination.map(LoopbackResponse.redirect) ?? ProviderPage.loggedOut.response
            : ProviderPage.loggingOut(frames: frames, to: destination).response
        return .loggedOut(response, ended.filter { $0.client.backChannelLogoutURI != nil })
    }

    /// Ends sessions in browsers, and returns those of the clients in them.
    private mutating func endSessions(_ names: [String]) -> [EndedSession] {
        browsers = browsers.filter { !names.contains($0.value.sessionID) }
        let ended = grants.values.filter {
            names.contains($0.sessionID) && toldSessions.insert($0.sessionID + $0.clientID).inserted
        }
        let clients = Dictionary(ended.map { ("\($0.clientID) \($0.sessionID)", $0) }) { first, _ in first }
        return clients.sorted { $0.key < $1.key }.compactMap { _, grant in
            configuration.client(grant.clientID).map {
                EndedSession(client: $0, subject: grant.user.subject, sessionID: grant.sessionID)
            }
        }
    }

    /// The address of a client's page at the end of a session (OpenID Connect Front-Channel Logout 1.0, section 3).
    private func frame(of session: EndedSession) -> String? {
        guard let uri = session.client.frontChannelLogoutURI else { return nil }
        let parameters: Parameters = ["iss": issuer, "sid": session.sessionID]
        return "\(uri)\(uri.contains("?") ? "&" : "?")\(parameters.encoded)"
    }

    /// The session of the browser that a request comes from.
    func browser(of request: Request) -> BrowserSession? {
        let cookies = (request.headers["Cookie"] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        let name = "\(cookieName)="
        return cookies.first { $0.hasPrefix(name) }.flatMap { browsers[String($0.dropFirst(name.count))] }
    }

    /// The name of the cookie that has a browser's session: cookies do not know ports.
    var cookieName: String { "provider-session-\(URIReference(issuer).port ?? "80")" }
}
