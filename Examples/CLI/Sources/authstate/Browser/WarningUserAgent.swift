import AuthStateKit

/// Tells what is doubtful about a redirect URI once another user agent has taken it; its refusal says enough.
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
