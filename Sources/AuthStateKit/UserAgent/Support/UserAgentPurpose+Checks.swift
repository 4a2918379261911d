internal import AuthStateOAuth

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension UserAgentPurpose {
    /// The URL as one that may be given to a browser.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument`.
    func browserURL(_ url: URL) throws -> BrowserURL {
        guard let page = BrowserURL(url) else {
            throw AuthStateError(
                .invalidArgument, stage: stage, "This URL is not shown to a person.",
                expected: "an http or https URL with a host", received: url.redactedDescription)
        }
        return page
    }

    var presentedTwice: AuthStateError {
        AuthStateError(.invalidArgument, stage: stage, "A user agent session is presented once.")
    }

    /// The person is perhaps stranded on a page of the provider's that says why.
    func nobodyCameBack(to redirectURI: RedirectURI, within timeout: Duration) -> AuthStateError {
        AuthStateError(
            .timedOut, stage: stage, "Nobody came back from the provider within \(timeout.components.seconds) seconds.",
            expected: "an answer at \(redirectURI)"
        ).explained
    }
}
