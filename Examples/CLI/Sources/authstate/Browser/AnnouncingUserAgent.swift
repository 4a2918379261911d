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
    /// What the person is doing there, for example "log in".
    let purpose: String

    func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        Trip(
            base: try await base.prepare(redirectURI: redirectURI, for: purpose), console: console, text: self.purpose,
            // The address of a logout carries the ID token, which does not belong on a screen.
            showsAddress: purpose == .login)
    }

    private struct Trip: ExternalUserAgentSession {
        let base: any ExternalUserAgentSession
        let console: Console
        let text: String
        let showsAddress: Bool

        var redirectURI: RedirectURI { base.redirectURI }

        func present(_ url: URL) async throws -> AuthorizationCallback {
            if showsAddress {
                console.note("If no browser opens, open this address to \(text):\n\n  \(url.absoluteString)\n")
            }
            return try await Spinner.spin("Waiting for you to \(text) in the browser", on: console) {
                try await base.present(url)
            }
        }

        func finish(_ outcome: UserAgentOutcome) async { await base.finish(outcome) }
    }
}
