public import AuthStateFoundation
public import AuthStateKit
public import AuthStateOAuth

/// The state that a session shows, as one value without any token: a redraw never mixes the data of two users.
public struct AuthSessionState: Sendable, Hashable {
    /// An activity of a session.
    public enum Activity: Sendable, Hashable {
        /// The stored state is being read.
        case restoring
        /// A user is logging in.
        case signingIn
        /// The login is being ended.
        case signingOut
    }

    /// The state behind it: scope, expiry, whether it could be saved; nil before the first login and after a logout.
    public private(set) var status: AuthState.Status?
    /// The logged-in user; nil when no user is logged in.
    public private(set) var user: AuthUser?
    /// The activity in progress.
    public private(set) var activity: Activity?
    /// The reason why the last attempt failed or the login ended; nil once it is dismissed, and after a cancellation.
    public private(set) var error: AuthStateError?
    /// The last user, so that a login that ended and begins again finds the userinfo that was known.
    private var last: AuthUser?
    /// The error of the last restoring, which goes when a later one succeeds.
    private var restoringError: AuthStateError?

    /// Makes the state without a login.
    init() {}

    /// Whether a user is logged in.
    public var isAuthenticated: Bool { user != nil }
    /// Whether an activity is in progress.
    public var isLoading: Bool { activity != nil }
    /// The text to show the user: `error`'s message and advice.
    public var errorMessage: String? {
        error.map { error in error.hint.map { "\(error.message) \($0)" } ?? error.message }
    }
    /// The granted scope.
    public var scope: String? { status?.scope }
    /// The expiry date of the access token; nil when the provider did not give one, and in error.
    public var accessTokenExpirationDate: Date? { status?.accessTokenExpirationDate }
}

extension AuthSessionState {
    /// Everything that can happen to a session.
    enum Event: Sendable {
        /// An activity has begun; the last error is forgotten, unless this only reads the store.
        case began(Activity)
        /// The activity is over; with the error of a failure that the user has to hear of.
        case ended(Activity, AuthStateError?)
        /// The state's condition, and its user.
        case seen(AuthState.Status, AuthUser)
        /// The user signs out.
        case left
        /// The user has read the error.
        case dismissed
    }

    /// Applies an event to what is shown.
    mutating func apply(_ event: Event) {
        switch event {
        case .began(let activity):
            self.activity = activity
            if activity != .restoring { (error, restoringError) = (nil, nil) }
        case .ended(let activity, let error):
            // The end of an activity that another one has replaced changes nothing.
            guard self.activity == activity || self.activity == nil else { break }
            self.activity = nil
            if activity == .restoring {
                if error == nil, let restoringError, self.error == restoringError { self.error = nil }
                restoringError = error
            }
            if let error { self.error = error }
        case .seen(let next, let person): see(next, person)
        case .left: (status, user, last) = (nil, nil, nil)
        case .dismissed: (error, restoringError) = (nil, nil)
        }
    }

    private mutating func see(_ next: AuthState.Status, _ person: AuthUser) {
        let before = status?.authorizationError
        let reason = next.authorizationError
        // A reason is shown once, and goes when it holds no longer.
        if let reason, reason != before { error = reason }
        if reason == nil, let before, error == before { error = nil }
        status = next
        user = next.isAuthorized ? person.keeping(last) : nil
        last = user ?? last
    }
}
