import AuthStateKit
import AuthStateUserAgent

/// A user agent made of a function.
struct PreparingUserAgent: ExternalUserAgent {
    let body: @Sendable (RedirectURI?, UserAgentPurpose) async throws -> any ExternalUserAgentSession

    func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        try await body(redirectURI, purpose)
    }
}
