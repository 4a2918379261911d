package import AuthStateFoundation

extension TokenResponse {
    /// The end of the refresh token unless it is exchanged before; nil when the provider did not say.
    ///
    /// `refresh_token_timeout` of draft-ietf-oauth-refresh-token-expiration, or a provider's own name of the same.
    package var refreshTokenExpirationDate: Date? { date(after: Self.refreshTokenLifetimes) }

    /// The end of the user's authorization, however often the tokens are renewed; nil when the provider did not say.
    ///
    /// `authorization_expires_in` of draft-ietf-oauth-refresh-token-expiration.
    package var authorizationExpirationDate: Date? { date(after: ["authorization_expires_in"]) }

    /// The names of the first: of the draft; of GitHub, Google and others; of Keycloak; of Intuit.
    private static let refreshTokenLifetimes = [
        "refresh_token_timeout", "refresh_token_expires_in", "refresh_expires_in", "x_refresh_token_expires_in",
    ]

    /// The date so many seconds after the response, by the first of these members that says so. Zero stands for no end, as
    /// Keycloak has it for offline access; a century is the most.
    private func date(after names: [String]) -> Date? {
        let seconds = names.lazy.compactMap { AnswerMembers(additionalMembers).number($0) }.first
        return seconds.flatMap { $0 > 0 ? issuedAt.addingTimeInterval(min($0, 36525 * 86400)) : nil }
    }
}
