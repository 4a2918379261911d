import AuthStateJOSE
public import AuthStateKit

/// The session of a user who is signed in with this browser.
public struct OpenIDSession: Sendable {
    /// The secret that only the browser has.
    let secret: BrowserSecret
    /// The provider's grant: `session.state.withFreshToken { … }` renews the tokens when they need it.
    public let state: AuthState

    /// The user's name for a greeting, from the ID token, without asking the provider; nil when it has no name.
    public var name: String? {
        let claims = state.record.idToken.flatMap { try? IDToken(parsing: $0) }?.claims
        return ["name", "preferred_username", "email"].compactMap { claims?[$0]?.stringValue }.first
    }

    /// A value for the forms of this session's pages, in the field `token`: only they can have it (against cross-site request
    /// forgery).
    public var formToken: String { get throws { try secret.formToken() } }

    /// Returns whether a form's field `token` is this session's.
    public func accepts(formToken token: String?) throws -> Bool {
        ConstantTime.equals(token ?? "", try secret.formToken())
    }
}
