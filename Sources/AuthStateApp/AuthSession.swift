public import AuthStateFoundation
public import AuthStateKit
public import AuthStateOAuth
import AuthStateStorage
import AuthStateUserAgent
public import Observation

/// The observable session of an app: the logged-in user, the activity in progress, and the last error.
///
/// A view that reads a property is redrawn when it changes. The logic is `AuthSessionCore`'s, which a view model for older
/// systems wraps in the same way.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
@Observable @MainActor
public final class AuthSession {
    /// Everything that views show, as one value.
    public private(set) var state: AuthSessionState
    /// The core that does the work.
    @ObservationIgnored public let core: AuthSessionCore

    /// Makes a session; nothing happens until it is told to restore or to sign in.
    ///
    /// - Parameters:
    ///   - configuration: The provider, the client, and what to ask for.
    ///   - userAgent: Shows the provider's pages.
    ///   - service: The service that talks to the provider.
    ///   - store: Keeps the state.
    ///   - key: The key of the state; one for each session of a store.
    ///   - options: The options of the state.
    public convenience init(
        _ configuration: AuthSessionConfiguration, userAgent: any ExternalUserAgent,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore, key: AuthStateKey = .default,
        options: AuthState.Options = AuthState.Options()
    ) {
        self.init(
            AuthSessionCore(
                configuration, userAgent: userAgent, service: service, store: store, key: key, options: options))
    }

    /// Makes a session that shows what a core does; the core's `onChange` is this session's from now on.
    public init(_ core: AuthSessionCore) {
        self.core = core
        state = core.state
        core.onChange = { [weak self] in self?.state = $0 }
    }

    /// Whether a user is logged in.
    public var isAuthenticated: Bool { state.isAuthenticated }
    /// Whether an activity is in progress.
    public var isLoading: Bool { state.isLoading }
    /// The logged-in user; nil when no user is logged in.
    public var user: AuthUser? { state.user }
    /// The reason why the last attempt failed or the login ended; nil once it is dismissed, and after a cancellation.
    public var error: AuthStateError? { state.error }
    /// The text to show the user; set it to nil once they have read it, any other text is ignored.
    public var errorMessage: String? {
        get { state.errorMessage }
        set { if newValue == nil { core.dismissError() } }
    }
    /// The granted scope.
    public var scope: String? { state.scope }
    /// The expiry date of the access token; nil when the provider did not give one, and in error.
    public var accessTokenExpirationDate: Date? { state.accessTokenExpirationDate }
    /// The state behind it, for fresh tokens and requests; nil before the first login and after a logout.
    ///
    /// Each login makes a new one: ask for it when you need it.
    public var authState: AuthState? {
        // Registers the observation: a view that shows the state has to notice when another one replaces it.
        _ = state
        return core.authState
    }

    /// The way to log in again for a request of `authState`, see `AuthState.performAction(_:reauthorize:)`.
    public var reauthorization: Reauthorization { core.reauthorization }

    /// Shows the stored login, see `AuthSessionCore.restore()`.
    public func restore() async { await core.restore() }

    /// Takes the user through a login, see `AuthSessionCore.signIn(prompt:loginHint:additionalParameters:)`.
    ///
    /// - Parameters:
    ///   - prompt: The prompts that the provider shows, for example `[.selectAccount]`; nil leaves them as configured.
    ///   - loginHint: The user who is likely to log in.
    ///   - additionalParameters: Further parameters that the provider understands, for this login.
    /// - Throws: `AuthStateError`, of kind `.cancelled` when the user cancels; `CancellationError`.
    @discardableResult
    public func signIn(
        prompt: [AuthorizationRequest.Prompt]? = nil, loginHint: String? = nil, additionalParameters: Parameters = [:]
    ) async throws -> AuthUser {
        try await core.signIn(prompt: prompt, loginHint: loginHint, additionalParameters: additionalParameters)
    }

    /// The same for callers without a task; the completion is called once, on the main actor.
    ///
    /// - Parameters:
    ///   - prompt: The prompts that the provider shows, for example `[.selectAccount]`; nil leaves them as configured.
    ///   - loginHint: The user who is likely to log in.
    ///   - additionalParameters: Further parameters that the provider understands, for this login.
    ///   - completion: Receives the user, or the error that the login ended with.
    /// - Returns: The login's task, to cancel it.
    @discardableResult
    public func signIn(
        prompt: [AuthorizationRequest.Prompt]? = nil, loginHint: String? = nil, additionalParameters: Parameters = [:],
        completion: @escaping @MainActor (Result<AuthUser, any Error>) -> Void
    ) -> Task<Void, Never> {
        core.signIn(
            prompt: prompt, loginHint: loginHint, additionalParameters: additionalParameters, completion: completion)
    }

    /// Completes a login whose answer came after the app was restarted.
    ///
    /// - Throws: As `signIn` does.
    @discardableResult
    public func complete(_ pending: PendingAuthorization, callback: AuthorizationCallback) async throws -> AuthUser {
        try await core.complete(pending, callback: callback)
    }

    /// Completes a login or logout whose redirect reached a `RedirectRouter` after the app was restarted.
    ///
    /// - Returns: The user who has logged in; nil for a logout.
    /// - Throws: As `signIn` does; `.invalidArgument` for a login of another session's client.
    @discardableResult
    public func complete(_ redirect: RestoredRedirect) async throws -> AuthUser? {
        try await core.complete(redirect)
    }

    /// Cancels the sign-in in progress.
    public func cancelSignIn() { core.cancelSignIn() }

    /// Ends the login, see `AuthSessionCore.signOut(endingProviderSession:)`.
    @discardableResult
    public func signOut(endingProviderSession endsProviderSession: Bool = true) async -> LogoutOutcome {
        await core.signOut(endingProviderSession: endsProviderSession)
    }

    /// Reads userinfo again; after a restart, what was read at the login is shown until then.
    ///
    /// - Throws: The errors of `AuthState.userInfo(_:)`; then the shown user stays.
    public func reloadUser() async throws { try await core.reloadUser() }
}
