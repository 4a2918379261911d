import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tells the person what to do while another user agent waits for them.
struct AnnouncingUserAgent: ExternalUserAgent {
    let base: any ExternalUserAgent
    let console: Console
    let purpose: Purpose

    /// What the person does there.
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
            // The address of a logout carries the ID token, which is not for a terminal's history.
            if purpose == .login {
                console.note("If no browser opens, open this address to log in:\n\n  \(url.absoluteString)\n")
            }
            return try await Spinner.spin("Waiting for you to \(purpose.rawValue) in the browser", on: console) {
                try await base.present(url)
            }
        }

        func finish(_ outcome: UserAgentOutcome) async { await base.finish(outcome) }
    }
}
