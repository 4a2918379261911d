public import AuthStateFoundation
public import AuthStateOAuth

/// An observer of every event of a state, for logs, metrics and traces.
///
/// Called synchronously, in the task in which the event arises: the events of a caller (`.tokensRequested`,
/// `.tokensDelivered`, `.tokensDenied`) see the caller's task-local values. Return soon.
public protocol AuthStateObserver: Sendable {
    /// Receives an event of a state.
    func authState(_ state: AuthState, did event: AuthStateEvent)
}

/// An event of a state; never contains a token.
public enum AuthStateEvent: Sendable, Hashable {
    /// A caller asked and has to wait for a renewal; `joined` when the renewal was already in progress.
    case tokensRequested(joined: Bool)
    /// That caller got its tokens.
    case tokensDelivered
    /// That caller got an error.
    case tokensDenied(AuthStateError)
    /// A renewal was sent to the provider.
    case renewalStarted
    /// A renewal succeeded.
    case renewed
    /// A renewal brought scopes that were not asked for.
    case scopeWidened([Scope])
    /// The login ends at this time, and the renewal that succeeded has not moved it: the user has to log in before.
    case loginExpiring(Date)
    /// A renewal failed.
    case renewalFailed(AuthStateError)
    /// The provider's keys could not be reached: the renewed ID token was checked without its signature and not kept.
    case idTokenUnverified(AuthStateError)
    /// The result of a renewal came after a login, logout or update, and was dropped.
    case lateResultDropped
    /// Another process had changed the stored state, and this state adopted the change.
    case adopted
    /// The stored state could not be read; the one in memory is used as before.
    case readFailed(AuthStateError)
    /// The state could not be saved; it is kept in memory and saved with the next change.
    case saveFailed(AuthStateError)
    /// The state changed.
    case changed(AuthState.Status)
}

extension AuthStateEvent: CustomStringConvertible {
    /// One line for a log, without any secret.
    public var description: String {
        switch self {
        case .tokensRequested(let joined):
            "tokens requested, \(joined ? "joining a renewal in progress" : "by a renewal")"
        case .tokensDelivered: "tokens delivered"
        case .tokensDenied(let error): "tokens denied: \(error)"
        case .renewalStarted: "renewal started"
        case .renewed: "renewed"
        case .scopeWidened(let scopes): "scope widened: \(scopes.requested ?? "")"
        case .loginExpiring(let date): "login expiring at \(date)"
        case .renewalFailed(let error): "renewal failed: \(error)"
        case .idTokenUnverified(let error): "ID token unverified: \(error)"
        case .lateResultDropped: "late result dropped"
        case .adopted: "adopted what another process stored"
        case .readFailed(let error): "reading failed: \(error)"
        case .saveFailed(let error): "saving failed: \(error)"
        case .changed(let status): "changed: \(status)"
        }
    }
}

extension LoginTrace {
    /// Notes an event of a state that no other step reports.
    func note(_ event: AuthStateEvent) {
        switch event {
        case .adopted: note(.store, "Took over what another process stored")
        case .lateResultDropped: note(.tokens, "Dropped tokens that came after a login or logout")
        case .idTokenUnverified(let error):
            note(failure: error)
            note(.idToken, "Kept the last ID token: the new one could not be verified")
        case .renewalFailed(let error), .readFailed(let error), .saveFailed(let error): note(failure: error)
        case .scopeWidened(let scopes):
            note(.tokens, "The provider granted more than was asked for", Detail.list([("scope", scopes.requested)]))
        case .loginExpiring(let date):
            note(.tokens, "The login ends soon, and renewals do not extend it", [.init("ends", "\(date)")])
        case .tokensRequested, .tokensDelivered, .tokensDenied, .renewalStarted, .renewed, .changed: break
        }
    }
}
