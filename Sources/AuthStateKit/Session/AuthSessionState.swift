public import AuthStateOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a session shows, as one value without any token: whoever redraws never sees one person's data in another's login.
public struct AuthSessionState: Sendable, Hashable {
    /// What a session is busy with.
    public enum Activity: Sendable, Hashable {
        /// Reading what is stored.
        case restoring
        /// Somebody is logging in.
        case signingIn
        /// The login is being ended.
        case signingOut
    }

    /// The state behind it: scope, expiry, whether it could be saved; nil before the first login and after a logout.
    public private(set) var current: AuthState.Current?
    /// Who is logged in; nil when nobody is.
    public private(set) var user: AuthUser?
    /// What is under way.
    public private(set) var activity: Activity?
    /// Why the last attempt failed, or the login ended; nil once it was dismissed, and when a person only gave up.
    public private(set) var error: AuthStateError?
    /// The last person, so that a login that ended and begins again finds what was known.
    private var last: AuthUser?

    /// Nobody is logged in.
    init() {}

    /// Whether somebody is logged in.
    public var isAuthenticated: Bool { user != nil }
    /// Whether something is under way.
    public var isLoading: Bool { activity != nil }
    /// What to tell the person: `error`'s message and advice.
    public var errorMessage: String? {
        error.map { error in error.hint.map { "\(error.message) \($0)" } ?? error.message }
    }
    /// What was granted.
    public var scope: String? { current?.scope }
    /// When the access token ends; nil when the provider did not say, and in error.
    public var accessTokenExpirationDate: Date? { current?.accessTokenExpirationDate }
}

extension AuthSessionState {
    /// Everything that can happen to a session.
    enum Event: Sendable {
        /// Something is under way; what went wrong before is forgotten, unless this only looks at what is stored.
        case began(Activity)
        /// It is over; for a failure that the person has to hear of, why.
        case ended(Activity, AuthStateError?)
        /// This is the state's condition, and whose it is.
        case seen(AuthState.Current, AuthUser)
        /// The person leaves.
        case left
        /// The person has read the error.
        case dismissed
    }

    /// What is shown after an event.
    mutating func apply(_ event: Event) {
        switch event {
        case .began(let activity):
            self.activity = activity
            if activity != .restoring { error = nil }
        case .ended(let activity, let error):
            // What something else has taken the place of has nothing to say any more.
            guard self.activity == activity || self.activity == nil else { break }
            self.activity = nil
            if let error { self.error = error }
        case .seen(let next, let person): see(next, person)
        case .left: (current, user, last) = (nil, nil, nil)
        case .dismissed: error = nil
        }
    }

    private mutating func see(_ next: AuthState.Current, _ person: AuthUser) {
        let before = current?.authorizationError
        let reason = next.authorizationError
        // A reason is shown once, and goes when it holds no longer.
        if let reason, reason != before { error = reason }
        if reason == nil, let before, error == before { error = nil }
        current = next
        user = next.isAuthorized ? person.keeping(last) : nil
        last = user ?? last
    }
}
