public import AuthStateKit
import AuthStateOAuth
import AuthStateStorage
import AuthStateUserAgent

/// A session of an app: signs a user in and out, restores, and tells what to show; `AuthSession` wraps it for SwiftUI.
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
    /// The store that keeps the state.
    public let store: any AuthStateStore
    /// The key of the state in the store.
    public let key: AuthStateKey
    /// The options of the state.
    public let options: AuthState.Options

    /// The state to show now.
    public private(set) var state = AuthSessionState() {
        didSet { if state != oldValue { onChange?(state) } }
    }
    /// Called for every change of `state`, on the main actor; one listener.
    public var onChange: (@MainActor (AuthSessionState) -> Void)?
    /// The state behind it, for fresh tokens and requests; nil before the first login and after a logout.
    ///
    /// Each login makes a new one: ask for it when you need it.
    public private(set) var authState: AuthState?

    /// The login in progress.
    var login: Login?
    /// The number of logins that have begun.
    var loginCount = 0
    /// The logout in progress.
    var logout: Logout?
    /// The number of logouts that have begun.
    var logoutCount = 0
    /// A state that was logged out and is still stored.
    var unremoved: AuthState?
    private var following: Task<Void, Never>?

    /// Makes a session; nothing happens until it is told to restore or to sign in.
    public init(
        _ configuration: AuthSessionConfiguration, userAgent: any ExternalUserAgent,
        service: AuthorizationService = AuthorizationService(),
        store: any AuthStateStore, key: AuthStateKey = .default,
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

    /// The way to log in again for a request of `authState`, see `AuthState.performAction(_:reauthorize:)`.
    public var reauthorization: Reauthorization { .presenting(userAgent) }

    /// Reads userinfo again; after a restart, what was read at the login is shown until then.
    ///
    /// - Throws: The errors of `AuthState.userInfo(_:)`; then the shown user stays.
    public func reloadUser() async throws {
        guard let authState else { throw AuthStateError.noUserIsLoggedIn }
        let grantID = authState.record.grantID
        let info = try await authState.userInfo(configuration.userInfoOptions)
        // Another login may have come in between, of another user.
        if self.authState === authState, authState.record.grantID == grantID { look(info) }
    }

    func apply(_ event: AuthSessionState.Event) { state.apply(event) }

    /// Shows a state from now on, with all of its changes.
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
        return look(info) ?? AuthUser(authState.record, userInfo: info)
    }

    /// Stops showing the state.
    func unfollow() {
        following?.cancel()
        (following, authState) = (nil, nil)
    }

    /// Shows what the state is now; the stream only says that there is something new.
    @discardableResult
    private func look(_ info: UserInfo? = nil) -> AuthUser? {
        // A user who signs out is not shown again, even if a login is saved this very moment.
        guard let authState, logout == nil else { return nil }
        // One reading, so that the user is the one of this condition.
        let (status, record) = authState.shown
        apply(.seen(status, AuthUser(record, userInfo: info)))
        return state.user
    }
}
