import AuthStateOAuth
public import AuthStateUserAgent

/// How a login for a resource is made.
public struct ResourceLogin: Sendable {
    enum Way: Sendable {
        case browser(any ExternalUserAgent)
        case clientCredentials
        case elsewhere
    }

    let way: Way

    /// A person logs in at the authorization server's page.
    public static func presenting(_ userAgent: any ExternalUserAgent) -> Self { Self(way: .browser(userAgent)) }

    /// The program logs in in its own name, with the credential of its client.
    public static let clientCredentials = Self(way: .clientCredentials)

    /// No person is at hand: a call that needs a login throws `.notLoggedIn`, and the program makes the login in two requests
    /// of a browser, with `beginLogin(redirectURI:because:)` and `completeLogin(_:callback:)`.
    public static let elsewhere = Self(way: .elsewhere)
}
