public import AuthStateOAuth

/// An answer to a login or logout that began before the app was ended: complete it.
///
/// ```swift
/// guard case .login(let pending) = redirect.flow else { return }
/// let authState = try await AuthState.complete(pending, callback: redirect.callback, store: store, key: key)
/// ```
public struct RestoredRedirect: Sendable, Hashable {
    /// What a browser was sent off for.
    public enum Flow: Sendable, Hashable, Codable {
        /// A login: for `AuthState.complete(_:callback:)`.
        case login(PendingAuthorization)
        /// A logout: for `AuthorizationService.complete(_:callback:)`.
        case logout(PendingLogout)
    }

    /// What began.
    public let flow: Flow
    /// What the user agent was given to tell its flows apart, for example the key of the account.
    public let label: String?
    /// The answer, at the redirect URI of the request.
    public let callback: AuthorizationCallback
}

extension RestoredRedirect: CustomStringConvertible, CustomReflectable {
    /// What began; state, verifier and code stay secret.
    public var description: String {
        switch flow {
        case .login(let pending): "redirect for a \(pending)"
        case .logout(let pending): "redirect for a \(pending)"
        }
    }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["redirect": description]) }
}
