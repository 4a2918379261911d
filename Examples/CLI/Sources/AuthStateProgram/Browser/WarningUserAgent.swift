import AuthStateKit

/// Prints warnings about a redirect URI once another user agent has accepted it; a refusal is printed without them.
struct WarningUserAgent: ExternalUserAgent {
    let base: any ExternalUserAgent
    let findings: [Finding]
    let console: Console

    func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        let session = try await base.prepare(redirectURI: redirectURI, for: purpose)
        for finding in findings { console.note("warning: \(finding.message) \(finding.hint)") }
        return session
    }
}
