public import AuthStateFoundation
public import AuthStateOAuth

/// Opens the provider's page somewhere else, such as Safari, and waits until the router is given the URL that comes back.
///
/// Prefer `WebAuthenticationUserAgent` where it is available: other apps can register the same scheme, and see the
/// answer (RFC 8252, section 8.1). With an https redirect URI, a universal link, only this app receives it.
public struct RedirectUserAgent: ExternalUserAgent {
    let router: RedirectRouter
    let callbackURL: RedirectURI?
    let label: String?
    let timeout: Duration
    let clock: any Clock<Duration>
    let open: @Sendable (URL) async throws -> Bool
    let close: @Sendable () async -> Void

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - router: Receives the URLs that the system opens the app with.
    ///   - callbackURL: The URL at which the answer reaches the app, when a page at the redirect URI hands it over; nil
    ///     for the redirect URI itself.
    ///   - label: Tells flows apart after a restart, see `RestoredRedirect.label`; not a secret.
    ///   - timeout: The time that a user has, from the opening of the page to the answer.
    ///   - clock: Measures the timeout.
    ///   - close: Closes what `open` put on the screen, such as an `SFSafariViewController`, after every outcome.
    ///   - open: Shows the page, for example by `UIApplication.shared.open`; false when it cannot.
    public init(
        router: RedirectRouter, callbackURL: RedirectURI? = nil, label: String? = nil,
        timeout: Duration = .seconds(600), clock: any Clock<Duration> = ContinuousClock(),
        close: @escaping @Sendable () async -> Void = {}, open: @escaping @Sendable (URL) async throws -> Bool
    ) {
        (self.router, self.callbackURL, self.label, self.timeout) = (router, callbackURL, label, timeout)
        (self.clock, self.open, self.close) = (clock, open, close)
    }

    /// Accepts a scheme of the app's own, or https.
    ///
    /// - Throws: `AuthStateError` with `.invalidRedirectURI` when there is none, or it is http.
    public func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        let place = try CallbackPlace(redirectURI: redirectURI, callbackURL: callbackURL, stage: purpose.stage)
        return RedirectSession(agent: self, place: place, purpose: purpose)
    }
}
