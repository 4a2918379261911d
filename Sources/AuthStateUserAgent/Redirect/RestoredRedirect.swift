import AuthStateFoundation
public import AuthStateJOSE
public import AuthStateOAuth

/// An answer to a login or logout that began before the app was ended: complete it.
///
/// ```swift
/// guard case .login(let pending) = redirect.flow else { return }
/// let authState = try await AuthState.logIn(.callback(redirect.callback, of: pending), at: place)
/// ```
public struct RestoredRedirect: Sendable, Hashable {
    /// The flow that a browser was opened for.
    public enum Flow: Sendable, Hashable, Codable {
        /// A login: for `AuthState.logIn(.callback(callback, of: pending))`.
        case login(PendingAuthorization)
        /// A logout: for `AuthorizationService.complete(_:callback:)`.
        case logout(PendingLogout)

        /// The page that the flow leads to.
        var url: URL {
            switch self {
            case .login(let pending): pending.url
            case .logout(let pending): pending.url
            }
        }

        /// The `state` that the answer has to carry, which tells it from all others.
        var state: String {
            switch self {
            case .login(let pending): pending.request.state
            case .logout(let pending): pending.request.state
            }
        }
    }

    /// The login or logout that began.
    public let flow: Flow
    /// The label that tells the user agent's flows apart, for example the key of the account.
    public let label: String?
    /// The answer, at the redirect URI of the request.
    public let callback: AuthorizationCallback
}

extension RestoredRedirect: Redacted {
    /// The login or logout that began; state, verifier and code stay secret.
    public var description: String {
        switch flow {
        case .login(let pending): "redirect for a \(pending)"
        case .logout(let pending): "redirect for a \(pending)"
        }
    }
}
