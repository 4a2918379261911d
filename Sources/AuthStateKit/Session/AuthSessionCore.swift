import AuthStateOAuth

/// A session of an app: signs somebody in and out, restores, and says what to show; `AuthSession` wraps it for SwiftUI.
///
/// Portable, and the whole of the logic. A view model of another kind wraps it by holding `state`, and by replacing that
/// whenever `onChange` is called. Give each provider's session a key of its own.
@MainActor
public final class AuthSessionCore {
    /// The provider, the client, and what to ask for.
    public let configuration: AuthSessionConfiguration
    /// Shows the provider's pages.
    public let userAgent: any ExternalUserAgent
    /// Talks to the provider.
    public let service: AuthorizationService
    /// Where the state is kept.
    public let store: any AuthStateStore
    /// Under which key.
    public let key: AuthStateKey
    /// How the state behaves.
    public let options: AuthState.Options

    /// What to show now.
    public private(set) var state = AuthSessionState() {
        didSet { if state != oldValue { onChange?(state) } }
    }
    /// Told of every change of `state`, on the main actor; one listener.
    public var onChange: (@MainActor (AuthSessionState) -> Void)?
    /// The state behind it, for fresh tokens and requests; nil before the first login and after a logout.
    ///
    /// Each login makes a new one: ask for it when you need it.
    public private(set) var authState: AuthState?

    /// The login that is under way.
    var login: Login?
    /// How many logins there have been.
    var loginCount = 0
    /// The logout that is under way.
    var logout: Task<LogoutOutcome, Never>?
    /// How many logouts have begun.
    var logoutCount = 0
    /// A state that was logged out and is stored still.
    var unremoved: AuthState?
    private var following: Task<Void, Never>?

    /// Makes a session; nothing happens until it is told to restore or to sign in.
    ///
    /// - Parameters:
    ///   - userAgent: Shows the provider's pages.
    ///   - store: Where the state is kept; the default forgets.
    ///   - key: Under which key; one for each session of a store.
    public init(
        _ configuration: AuthSessionConfiguration, userAgent: any ExternalUserAgent,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore = InMemoryAuthStateStore(), key: AuthStateKey = .default,
        options: AuthState.Options = AuthState.Options()
    ) {
        self.configuration = configuration
        self.userAgent = userAgent
        self.service = service
        self.store = store
        self.key = key
        self.options = options
    }

    deinit { following?.cancel() }

    /// Forgets the error that is shown.
    public func dismissError() { apply(.dismissed) }

    /// How the person logs in again for a request of `authState`, see `AuthState.performAction(_:reauthorize:)`.
    public var reauthorization: Reauthorization { .presenting(userAgent) }

    /// Reads userinfo again, for example after a restart, which leaves what the ID token says.
    ///
    /// - Throws: As `AuthState.userInfo(_:)` does; what is shown stays then.
    public func reloadUser() async throws {
        guard let authState else { throw AuthStateError.nobodyIsLoggedIn }
        let grantID = authState.snapshot.grantID
        let info = try await authState.userInfo(configuration.userInfoOptions)
        // Another login may have come in between: its person is somebody else.
        if self.authState === authState, authState.snapshot.grantID == grantID { look(info) }
    }

    func apply(_ event: AuthSessionState.Event) { state.apply(event) }

    /// Shows a state from now on, and whatever becomes of it.
    @discardableResult
    func follow(_ authState: AuthState, _ info: UserInfo? = nil) -> AuthUser {
        unfollow()
        (self.authState, unremoved) = (authState, nil)
        following = Task { [weak self] in
            for await _ in authState.stateChanges {
                guard let self, self.authState === authState else { return }
                self.look()
            }
        }
        return look(info) ?? AuthUser(authState.snapshot, userInfo: info)
    }

    /// Shows no state any more.
    func unfollow() {
        following?.cancel()
        (following, authState) = (nil, nil)
    }

    /// Shows what the state is now; the stream only says that there is something new.
    @discardableResult
    private func look(_ info: UserInfo? = nil) -> AuthUser? {
        // Whoever leaves is not shown again, even if a login is saved this very moment.
        guard let authState, logout == nil else { return nil }
        // One reading, so that the person is the one of this condition.
        let published = authState.published.withLock { $0.state }
        apply(.seen(published.current, AuthUser(published.record, userInfo: info)))
        return state.user
    }
}
