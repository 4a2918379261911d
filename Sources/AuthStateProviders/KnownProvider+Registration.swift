import AuthStateOAuth

extension KnownProvider.Registration {
    init(page: String? = nil, _ steps: String, loopback: String? = anyPort) {
        self.init(page: page, steps: steps, loopbackRedirectURI: loopback)
    }

    /// The loopback redirect URI where the port need not be registered (RFC 8252, section 7.3).
    static let anyPort = "http://127.0.0.1:0/callback"
    /// The same with the name instead of the address.
    static let anyPortByName = "http://localhost:0/callback"
    /// The loopback redirect URI where the port is compared, so that it is always the same.
    static let onePort = "http://127.0.0.1:8400/callback"

    static let google = Self(
        page: "https://console.cloud.google.com/auth/clients",
        "Make a client of the type Desktop app. There is no redirect URI to enter: any port of 127.0.0.1 will "
            + "do. Google issues a secret, which has to be sent, although an installed program cannot keep it secret. "
            + "(For a login by device code: the type TVs and Limited Input devices.)")

    static let apple = Self(
        page: "https://developer.apple.com/account/resources/identifiers/list/serviceId",
        "Make a Services ID, configure Sign in with Apple for it, and enter a page of yours on https as "
            + "return URL: Apple redirects neither to a port of a machine nor to an app. A key of the team makes the "
            + "client's secret.",
        loopback: nil)

    static let microsoft = Self(
        page: "https://go.microsoft.com/fwlink/?linkid=2083908",
        "Register an application, and add the platform Mobile and desktop applications to it with the "
            + "redirect URI http://localhost/callback: any port will do. It has no secret. (For a login by device "
            + "code: allow public client flows.)",
        loopback: anyPortByName)

    static let facebook = Self(
        page: "https://developers.facebook.com/apps/",
        "Make an app with Facebook Login, and enter a page of yours on https under Valid OAuth Redirect URIs. "
            + "While the app is in development, http://localhost will do with any port, without being entered.",
        loopback: anyPortByName)

    static let gitHub = Self(
        page: "https://github.com/settings/developers",
        "Make an OAuth app with the callback URL http://127.0.0.1/callback: any port will do. It has a "
            + "secret, which has to be sent. (For a login by device code: enable Device Flow; no secret is needed "
            + "then.)")

    static let spotify = Self(
        page: "https://developer.spotify.com/dashboard",
        "Make an app with the redirect URI http://127.0.0.1/callback, without a port: any port will do then. "
            + "The name localhost is refused.")

    static let strava = Self(
        page: "https://www.strava.com/settings/api",
        "Make an application with any Authorization Callback Domain: 127.0.0.1 will do beside it, with any "
            + "port. It has a secret, which has to be sent.")

    static let okta = Self(
        "In the admin console make an app integration for OpenID Connect, of the type Native Application, "
            + "with the grants Authorization Code and Refresh Token and the sign-in redirect URI "
            + "http://127.0.0.1:8400/callback: the port counts.",
        loopback: onePort)

    static let auth0 = Self(
        page: "https://manage.auth0.com/",
        "Make an application of the type Native, with http://127.0.0.1:8400/callback among its Allowed "
            + "Callback URLs: the port counts. For a refresh token allow offline access for the API.",
        loopback: onePort)

    static let keycloak = Self(
        "In the realm's admin console make an OpenID Connect client without client authentication, with the "
            + "valid redirect URI http://127.0.0.1/callback, without a port: any port will do then.")

    static let forgeRock = Self(
        "In the realm add an OAuth 2.0 client of the type Public, with the redirection URI "
            + "http://127.0.0.1:8400/callback and the token endpoint authentication method none: the port counts.",
        loopback: onePort)
}
