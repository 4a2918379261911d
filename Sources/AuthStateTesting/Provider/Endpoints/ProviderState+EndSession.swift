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
        let hint = parameters["id_token_hint"].flatMap { try? JSONWebToken(parsing: $0) }
        guard parameters["id_token_hint"] == nil || hint.map(hasSigned) == true else {
            return .problem("The ID token is not of this provider.")
        }
        let audience = hint?.claims["aud"]?.stringValue
        if let audience, let id = parameters["client_id"], id != audience {
            return .problem("The ID token is for another client than client_id.")
        }
        var destination: String?
        if let redirectURI = parameters["post_logout_redirect_uri"] {
            guard let client = configuration.client(parameters["client_id"] ?? audience) else {
                return .problem("Without an ID token or client_id no client is known, and no address to go to.")
            }
            guard client.allowsPostLogoutRedirect(to: redirectURI) else {
                return .problem("This address is not registered for the client.")
            }
            var answer: Parameters = [:]
            answer["state"] = parameters["state"]
            configuration.deviations.endSessionResponse?(&answer)
            let separator = redirectURI.contains("?") ? "&" : "?"
            destination = answer.isEmpty ? redirectURI : "\(redirectURI)\(separator)\(answer.encoded)"
        }
        let named = [hint?.claims["sid"]?.stringValue, browser(of: request)?.sessionID]
        let ended = endSessions(named.compactMap(\.self))
        let frames = ended.compactMap(frame(of:))
        let response =
            frames.isEmpty
            ? destination.map(LoopbackResponse.redirect) ?? ProviderPage.loggedOut.response
            : ProviderPage.loggingOut(frames: frames, to: destination).response
        return .loggedOut(response, ended.filter { $0.client.backChannelLogoutURI != nil })
    }

    /// Whether this provider has signed an ID token, which may have expired (RP-Initiated Logout 1.0, section 4).
    private func hasSigned(_ token: JSONWebToken) -> Bool {
        guard token.claims["iss"]?.stringValue == issuer, let id = token.claims["aud"]?.stringValue else {
            return false
        }
        guard !token.isKeyedBySecret else {
            return configuration.client(id).map { client in client.secret != nil && token.isSigned(by: client) }
                ?? false
        }
        return (try? token.verify(with: JSONWebKeySet(keys: keys.published), allowed: .asymmetric)) != nil
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
