public import AuthStateOAuth
public import Observation

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A session of an app as views observe it: who is logged in, what is under way, what went wrong.
///
/// A view that reads a property is redrawn when it changes. The logic is `AuthSessionCore`'s, which a view model for older
/// systems wraps in the same way.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
@Observable @MainActor
public final class AuthSession {
    /// Everything that is shown, as one value.
    public private(set) var state: AuthSessionState
    /// What does the work.
    @ObservationIgnored public let core: AuthSessionCore

    /// Makes a session; nothing happens until it is told to restore or to sign in.
    ///
    /// - Parameters:
    ///   - userAgent: Shows the provider's pages.
    ///   - store: Where the state is kept; the default forgets.
    ///   - key: Under which key; one for each session of a store.
    public convenience init(
        _ configuration: AuthSessionConfiguration, userAgent: any ExternalUserAgent,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore = InMemoryAuthStateStore(), key: AuthStateKey = .default,
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

    /// Whether somebody is logged in.
    public var isAuthenticated: Bool { state.isAuthenticated }
    /// Whether something is under way.
    public var isLoading: Bool { state.isLoading }
    /// Who is logged in; nil when nobody is.
    public var user: AuthUser? { state.user }
    /// Why the last attempt failed, or the login ended; nil once it was dismissed, and when a person only gave up.
    public var error: AuthStateError? { state.error }
    /// What to tell the person; set it to nil when it has been read, any other text is ignored.
    public var errorMessage: String? {
        get { state.errorMessage }
        set { if newValue == nil { core.dismissError() } }
    }
    /// What was granted.
    public var scope: String? { state.scope }
    /// When the access token ends; nil when the provider did not say, and in error.
    public var accessTokenExpirationDate: Date? { state.accessTokenExpirationDate }
    /// The state behind it, for fresh tokens and requests; nil before the first login and after a logout.
    ///
    /// Each login makes a new one: ask for it when you need it.
    public var authState: AuthState? {
        // Reading what is observed, so that whoever shows something of the state hears of another one.
        _ = state
        return core.authState
    }

    /// How the person logs in again for a request of `authState`, see `AuthState.performAction(_:reauthorize:)`.
    public var reauthorization: Reauthorization { core.reauthorization }

    /// Shows the login that is stored, see `AuthSessionCore.restore()`.
    public func restore() async { await core.restore() }

    /// Takes the person through a login, see `AuthSessionCore.signIn(prompt:loginHint:additionalParameters:)`.
    ///
    /// - Throws: `AuthStateError`, of kind `.cancelled` when the person gives up; `CancellationError`.
    @discardableResult
    public func signIn(
        prompt: [AuthorizationRequest.Prompt]? = nil, loginHint: String? = nil, additionalParameters: Parameters = [:]
    ) async throws -> AuthUser {
        try await core.signIn(prompt: prompt, loginHint: loginHint, additionalParameters: additionalParameters)
    }

    /// The same for callers without a task; the completion is called once, on the main actor.
    ///
    /// - Returns: The login's task, to cancel it.
    @discardableResult
    public func signIn(
        prompt: [AuthorizationRequest.Prompt]? = nil, loginHint: String? = nil, additionalParameters: Parameters = [:],
        completion: @escaping @MainActor (Result<AuthUser, any Error>) -> Void
    ) -> Task<Void, Never> {
        core.signIn(
            prompt: prompt, loginHint: loginHint, additionalParameters: additionalParameters, completion: completion)
    }

    /// Completes a login whose answer came after the app was ended and begun again.
    ///
    /// - Throws: As `signIn` does.
    @discardableResult
    public func complete(_ pending: PendingAuthorization, callback: AuthorizationCallback) async throws -> AuthUser {
        try await core.complete(pending, callback: callback)
    }

    /// Completes what came back to a `RedirectRouter` after the app was ended and begun again.
    ///
    /// - Returns: Who has logged in; nil when it was a logout.
    /// - Throws: As `signIn` does; `.invalidArgument` for a login of another session's client.
    @discardableResult
    public func complete(_ redirect: RestoredRedirect) async throws -> AuthUser? {
        try await core.complete(redirect)
    }

    /// Gives the login up that is under way.
    public func cancelSignIn() { core.cancelSignIn() }

    /// Ends the login, see `AuthSessionCore.signOut(endingProviderSession:)`.
    @discardableResult
    public func signOut(endingProviderSession endsProviderSession: Bool = true) async -> LogoutOutcome {
        await core.signOut(endingProviderSession: endsProviderSession)
    }

    /// Reads userinfo again, for example after a restart, which leaves what the ID token says.
    ///
    /// - Throws: As `AuthState.userInfo(_:)` does; what is shown stays then.
    public func reloadUser() async throws { try await core.reloadUser() }
}
