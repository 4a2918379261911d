package import AuthStateOAuth

/// A user agent that listens already, so that its redirect URI can be registered before the login begins.
package struct PreparedUserAgent: ExternalUserAgent {
    private let session: any ExternalUserAgentSession

    /// Prepares a user agent for a login, which begins at once or is given up.
    ///
    /// - Throws: `AuthStateError`, for example when the port is in use.
    package init(_ base: any ExternalUserAgent, at redirectURI: RedirectURI?) async throws {
        session = try await base.prepare(redirectURI: redirectURI, for: .login)
    }

    /// Where it listens.
    package var redirectURI: RedirectURI { session.redirectURI }

    package func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession { session }

    /// Releases what it holds, because the login does not begin.
    package func giveUp(_ error: any Error) async {
        guard let error = error as? AuthStateError else { return await session.finish(.cancelled) }
        await session.finish(.failed(error))
    }
}
