extension OAuthErrorResponse {
    /// Whether a provider says in its own words that a refresh token is inactive, used or unknown.
    ///
    /// RFC 6749, section 5.2, has `invalid_grant` for that. Some providers send `invalid_request`, which otherwise is a
    /// mistake of the client; only a text that stands in the table, exactly, is accepted in its place.
    var refusesRefreshToken: Bool {
        error == "invalid_request" && errorDescription.map { Self.refreshTokenRefusals[$0] != nil } ?? false
    }

    /// The texts, with the provider that writes each.
    private static let refreshTokenRefusals = [
        "Refresh token inactive": "idpyoidc and oidc-op",
        "Invalid \"refresh_token\" in request.": "Authlib in older versions, and servers built on it",
        "The refresh token is invalid.": "The PHP League's OAuth 2.0 server before 9",
    ]
}
