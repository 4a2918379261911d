public import AuthStateFoundation
public import AuthStateOAuth

/// Shows a provider's page to a user outside the app's reach and receives the answer (RFC 8252).
public protocol ExternalUserAgent: Sendable {
    /// Prepares to receive a redirect; the session has the redirect URI that the request has to carry.
    ///
    /// - Parameters:
    ///   - redirectURI: The caller's choice; port 0 in a loopback URI means any free port, nil the agent's choice.
    ///   - purpose: The purpose of the trip, which decides what counts as an answer.
    /// - Throws: `AuthStateError`, for example when the port is in use.
    func prepare(redirectURI: RedirectURI?, for purpose: UserAgentPurpose) async throws -> any ExternalUserAgentSession
}

/// The purpose of a trip to the provider.
public enum UserAgentPurpose: Sendable, Hashable {
    /// To log in and consent: the answer carries `code`, `error` or another response parameter.
    case login
    /// To end the session: the answer carries `state` (OpenID Connect RP-Initiated Logout, section 3); one without it
    /// is accepted too, so that the caller that checks it can report what is wrong.
    case logout

    /// The stage that errors name.
    package var stage: AuthStateError.Stage {
        switch self {
        case .login: .authorization
        case .logout: .logout
        }
    }
}

/// One trip through a user agent: presented once, finished once.
public protocol ExternalUserAgentSession: Sendable {
    /// The redirect URI that the request has to carry.
    var redirectURI: RedirectURI { get }

    /// Shows the URL and waits for the provider to send the user back.
    ///
    /// - Throws: `AuthStateError` (timed out, the browser cannot be opened), or `CancellationError`.
    func present(_ url: URL) async throws -> AuthorizationCallback

    /// Shows the page of a login or logout; an agent that has to outlive the process stores the flow, others show its URL.
    ///
    /// - Throws: As `present(_:)` with a URL.
    func present(_ flow: RestoredRedirect.Flow) async throws -> AuthorizationCallback

    /// Checks once more, after the answer was exchanged for tokens, that the answer is the opened browser's; other agents
    /// than the loopback one have nothing to check.
    ///
    /// - Throws: `AuthStateError` when it may be another user's: then the tokens are revoked and the login fails.
    func confirm() async throws

    /// Shows the user the outcome, and releases everything held; called exactly once, after every outcome.
    func finish(_ outcome: UserAgentOutcome) async
}

extension ExternalUserAgentSession {
    /// Checks nothing.
    public func confirm() async throws {}

    /// Shows the URL.
    public func present(_ flow: RestoredRedirect.Flow) async throws -> AuthorizationCallback {
        try await present(flow.url)
    }
}

/// The outcome of a trip through a user agent, for the page that the user sees last.
public enum UserAgentOutcome: Sendable {
    /// The login (or logout) is complete.
    case completed
    /// It failed for this reason.
    case failed(AuthStateError)
    /// The caller was cancelled.
    case cancelled
}
