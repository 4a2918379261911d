import AuthStateKit

/// A user agent that is made when a login needs it: most commands end without one, and may run where there is no browser.
struct LateUserAgent: ExternalUserAgent {
    let make: @Sendable () throws -> any ExternalUserAgent

    func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        try await make().prepare(redirectURI: redirectURI, for: purpose)
    }
}
