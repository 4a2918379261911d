import AuthStateJOSE
public import AuthStateOAuth

/// Providers that publish no metadata, or none that the documents for developers rely on.
extension KnownProvider {
    /// GitHub: its apps of both kinds.
    public static let gitHub = KnownProvider(
        "github", title: "GitHub",
        .metadata([
            "authorization_endpoint": "https://github.com/login/oauth/authorize",
            "token_endpoint": "https://github.com/login/oauth/access_token",
            "device_authorization_endpoint": "https://github.com/login/device/code",
            "userinfo_endpoint": "https://api.github.com/user",
            "token_endpoint_auth_methods_supported": ["client_secret_post", "none"],
            "code_challenge_methods_supported": ["S256"],
        ]),
        scopes: ["read:user"], tolerances: [.formEncodedTokens, .gitHubErrors, .commaSeparatedGrants],
        registration: .gitHub,
        quirks: [
            "Tokens come form-encoded, unless JSON is asked for; granted scopes are separated by commas.":
                "https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps",
            "Errors come with status 200 and codes of GitHub's own.":
                "https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors",
            "The tokens of OAuth apps have no end: there is neither expires_in nor a refresh token.":
                "https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps",
            "The tokens of GitHub apps end and are renewed; their scope is empty.":
                "https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens",
        ])

    /// Facebook; with the scope `openid` too.
    public static let facebook = KnownProvider(
        "facebook", title: "Facebook",
        .metadata([
            "issuer": "https://www.facebook.com",
            "authorization_endpoint": "https://www.facebook.com/dialog/oauth",
            "token_endpoint": "https://graph.facebook.com/oauth/access_token",
            "jwks_uri": "https://www.facebook.com/.well-known/oauth/openid/jwks/",
            "userinfo_endpoint": "https://graph.facebook.com/me",
            "token_endpoint_auth_methods_supported": ["client_secret_post", "none"],
        ]),
        scopes: ["public_profile", .email], tolerances: [.errorObjects], redirectRule: .webOnly,
        registration: .facebook,
        quirks: [
            "error is an object with a number, not a code of OAuth's.":
                "https://developers.facebook.com/docs/graph-api/guides/error-handling",
            "Plain OAuth: an ID token comes with the scope openid only, and refresh tokens do not exist.":
                "https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow",
            "An access token that is no longer valid is refused with status 400 and the number 190.":
                "https://developers.facebook.com/docs/facebook-login/guides/access-tokens/debugging",
            "The answer goes to https, and to http://localhost while an app is in development.":
                "https://developers.facebook.com/docs/facebook-login/security",
        ])

    /// Spotify.
    public static let spotify = KnownProvider(
        "spotify", title: "Spotify",
        .metadata([
            "authorization_endpoint": "https://accounts.spotify.com/authorize",
            "token_endpoint": "https://accounts.spotify.com/api/token",
            "userinfo_endpoint": "https://api.spotify.com/v1/me",
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "none"],
            "code_challenge_methods_supported": ["S256"],
        ]),
        scopes: ["user-read-email"], redirectRule: .addressOnly, registration: .spotify,
        quirks: [
            "The client's secret goes into the Authorization header (HTTP Basic).":
                "https://developer.spotify.com/documentation/web-api/tutorials/code-flow",
            "A renewal may bring no refresh token: the one before stays.":
                "https://developer.spotify.com/documentation/web-api/tutorials/refreshing-tokens",
            "The name localhost is refused in redirect URIs.":
                "https://developer.spotify.com/documentation/web-api/concepts/redirect_uri",
        ])

    /// Strava.
    public static let strava = KnownProvider(
        "strava", title: "Strava",
        .metadata([
            "authorization_endpoint": "https://www.strava.com/oauth/authorize",
            "token_endpoint": "https://www.strava.com/oauth/token",
            "userinfo_endpoint": "https://www.strava.com/api/v3/athlete",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        ]),
        scopes: ["read"], tolerances: [.commaSeparatedScopes, .commaSeparatedGrants, .errorLists],
        redirectRule: .callbackDomain, registration: .strava,
        quirks: [
            "Scopes are separated by commas, in requests and in answers.":
                "https://developers.strava.com/docs/authentication/",
            "A user may leave out some of the scopes; what is left is in the callback alone.":
                "https://developers.strava.com/docs/authentication/",
            "The answer goes to the application's callback domain, after every scheme.":
                "https://developers.strava.com/docs/authentication/",
            "The login's answer brings the athlete, and expires_at beside expires_in.":
                "https://developers.strava.com/docs/authentication/",
            "Errors are a list of resources, fields and codes.":
                "https://developers.strava.com/docs/reference/#api-models-Fault",
        ])
}
