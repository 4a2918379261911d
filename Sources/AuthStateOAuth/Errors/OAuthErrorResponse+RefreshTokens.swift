extension OAuthErrorResponse {
    /// Whether a provider says in its own words that a refresh token is inactive, used or unknown.
    ///
    /// RFC 6749, section 5.2, has `invalid_grant` for that. Some providers send `invalid_request` or `unauthorized_client`,
    /// which otherwise are mistakes of the client; only a text that stands in the table, exactly, is accepted in its place. Hydra
    /// before 2 has a code of its own for it.
    var refusesRefreshToken: Bool {
        error == "token_inactive"
            || ["invalid_request", "unauthorized_client"].contains(error)
                && errorDescription.map { Self.refreshTokenRefusals[$0] != nil } ?? false
    }

    /// Whether a provider's words seem to say so: enough to advise a login, too little to give the grant up.
    var seemsToRefuseRefreshToken: Bool {
        if ["invalid_refresh_token", "expired_refresh_token", "token_expired", "token_revoked"].contains(error) {
            return true
        }
        guard [.invalidRequest, .unauthorizedClient, .providerError].contains(code),
            let text = errorDescription?.lowercased()
        else { return false }
        if ["invalid token", "invalid token!", "invalid token."].contains(text) { return true }
        let names = ["refresh token", "refresh_token", "refreshtoken"]
        let states = [
            "invalid", "expired", "revoked", "unknown", "not found", "inactive", "not valid", "already used",
            "not be validated",
        ]
        let passing = ["too many", "rate limit", "try again later"]
        return names.contains { text.contains($0) } && states.contains { text.contains($0) }
            && !passing.contains { text.contains($0) }
    }

    /// The texts, with the provider that writes each.
    private static let refreshTokenRefusals = [
        "Refresh token inactive": "idpyoidc and oidc-op",
        "Invalid \"refresh_token\" in request.": "Authlib in older versions, and servers built on it",
        "The refresh token is invalid.": "The PHP League's OAuth 2.0 server before 9",
        "Value passed for the token was invalid.": "X",
        "refresh_token is invalid": "Atlassian, with unauthorized_client",
        "Unknown or invalid refresh token.": "Atlassian, with unauthorized_client",
    ]
}
