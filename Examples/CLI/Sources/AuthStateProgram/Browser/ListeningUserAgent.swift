import AuthStateKit

/// A user agent that listens already, so that its redirect URI can be registered before the login begins.
struct ListeningUserAgent: ExternalUserAgent {
    private let session: any ExternalUserAgentSession

    /// Begins to listen; that ends with the login, or with the program.
    ///
    /// - Throws: `AuthStateError`, for example when the port is in use.
    init(_ base: any ExternalUserAgent, at redirectURI: RedirectURI?) async throws {
        session = try await base.prepare(redirectURI: redirectURI, for: .login)
    }

    /// Where it listens.
    var redirectURI: RedirectURI { session.redirectURI }

    func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession { session }
}
