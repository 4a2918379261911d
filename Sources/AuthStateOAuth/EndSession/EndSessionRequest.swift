public import AuthStateFoundation
public import AuthStateJOSE

/// A request to end the session at the provider (OpenID Connect RP-Initiated Logout 1.0, section 2).
public struct EndSessionRequest: Sendable, Hashable, Codable, Redacted {
    /// The provider.
    public var configuration: ProviderConfiguration
    /// The last ID token, which tells the provider whose session ends.
    public var idTokenHint: String?
    /// The client's identifier.
    public var clientID: String?
    /// Where the browser goes afterwards; it must be registered.
    public var postLogoutRedirectURI: RedirectURI?
    /// The user whose session ends, as the user typed it (a mail address, a name): for when there is no ID token.
    public var logoutHint: String?
    /// Languages for the provider's pages, the preferred one first (BCP 47).
    public var uiLocales: [String] = []
    /// Ties the answer to this request; sent only with a redirect URI.
    public var state: String
    /// Additional parameters that the provider understands.
    public var additionalParameters: Parameters = [:]

    /// Makes a request with a new state.
    public init(
        configuration: ProviderConfiguration, idTokenHint: String? = nil, clientID: String? = nil,
        postLogoutRedirectURI: RedirectURI? = nil
    ) {
        self.configuration = configuration
        self.idTokenHint = idTokenHint
        self.clientID = clientID
        self.postLogoutRedirectURI = postLogoutRedirectURI
        state = RandomText.make()
    }

    /// The URL to open in the user's browser; throws `AuthStateError` with `.endpointMissing`, or `.invalidArgument`
    /// when an additional parameter would replace one of the request's.
    public func url() throws -> URL {
        let endpoint = try configuration.endSessionEndpoint.required(
            at: .logout, "The provider has no end-session endpoint.",
            hint: "Remove the local state; the provider's own session ends on its pages.")
        var own: Parameters = [:]
        own["id_token_hint"] = idTokenHint
        own["client_id"] = clientID
        own["logout_hint"] = logoutHint
        own["ui_locales"] = uiLocales.isEmpty ? nil : uiLocales.joined(separator: " ")
        if let postLogoutRedirectURI {
            own["post_logout_redirect_uri"] = postLogoutRedirectURI.rawValue
            own["state"] = state
        }
        try own.add(additionalParameters, stage: .logout)
        return try endpoint.appending(own, stage: .logout)
    }

    /// Checks the callback after the logout: its place and the query of the redirect URI, then `state`; throws
    /// `AuthStateError` with `.callbackMismatch` or `.stateMismatch`.
    public func validate(_ callback: AuthorizationCallback) throws {
        guard let postLogoutRedirectURI,
            TrustCheck.logoutPlace.holds(postLogoutRedirectURI.matches(callback.url))
        else {
            throw AuthStateError(
                .callbackMismatch, stage: .logout, "The callback is not at the post-logout redirect URI.",
                expected: postLogoutRedirectURI?.rawValue, received: callback.description)
        }
        guard TrustCheck.logoutQuery.holds(postLogoutRedirectURI.keepsQuery(in: callback.url)) else {
            throw AuthStateError(
                .callbackMismatch, stage: .logout, "The callback has not the query of the post-logout redirect URI.",
                expected: postLogoutRedirectURI.rawValue, received: "another query, or none")
        }
        let parameters = URIReference(callback.url).query.flatMap { Parameters(answer: $0) } ?? [:]
        let states = parameters.values("state")
        let isRight = states.count == 1 && ConstantTime.equals(states[0], state)
        guard TrustCheck.logoutState.holds(isRight) else {
            let words = ["error", "error_description"].compactMap { parameters[$0]?.printable(60) }
            let reason = words.isEmpty ? "" : ", with the unconfirmed error \(words.joined(separator: ", "))"
            let received = states.isEmpty ? "no state" : states.count == 1 ? "a different state" : "state twice"
            throw AuthStateError(
                .stateMismatch, stage: .logout, "The answer does not belong to this logout: state does not match.",
                expected: "the state of the request",
                received: received + reason,
                hint: "Log out again; the session at the provider may still be open.")
        }
        for name in parameters.repeatedNames { Leniency.repeatedParameter.note(name) }
    }

    /// The client; hint and state stay secret.
    public var description: String { "end session request of \(clientID ?? "a client")" }
}

/// A logout that is still to end the session at the provider: send the browser to `url`, keep the rest until it comes back.
///
/// It holds the ID token as a hint: keep it where only this browser's session reaches it.
public struct PendingLogout: Sendable, Hashable, Codable, Redacted {
    /// The request, with its state.
    public let request: EndSessionRequest
    /// The URL to send the browser to.
    public let url: URL

    package init(request: EndSessionRequest, url: URL) { (self.request, self.url) = (request, url) }

    /// The client; hint and state stay secret.
    public var description: String { "pending logout of \(request.clientID ?? "a client")" }
}
