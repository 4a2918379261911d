import AuthStateKit
import AuthStatePlatform
import AuthStateUserAgent

/// Shows that the program waits, while another user agent waits for the user.
struct AnnouncingUserAgent: ExternalUserAgent {
    let base: any ExternalUserAgent
    let console: Console
    let purpose: Purpose

    /// The action that the user takes there.
    enum Purpose: String, Sendable {
        case login = "log in"
        case logout = "log out"
    }

    func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        Trip(
            base: try await base.prepare(redirectURI: redirectURI, for: purpose), console: console,
            purpose: self.purpose)
    }

    private struct Trip: ExternalUserAgentSession {
        let base: any ExternalUserAgentSession
        let console: Console
        let purpose: Purpose

        var redirectURI: RedirectURI { base.redirectURI }

        func present(_ url: URL) async throws -> AuthorizationCallback {
            try await spin { try await base.present(url) }
        }

        func present(_ flow: RestoredRedirect.Flow) async throws -> AuthorizationCallback {
            try await spin { try await base.present(flow) }
        }

        private func spin(
            _ body: nonisolated(nonsending) () async throws -> AuthorizationCallback
        ) async throws -> AuthorizationCallback {
            try await Spinner.spin("Waiting for you to \(purpose.rawValue) in the browser", on: console, during: body)
        }

        func finish(_ outcome: UserAgentOutcome) async { await base.finish(outcome) }
    }
}
