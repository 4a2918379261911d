import AuthStateFoundation
import AuthStateOAuth

extension UserAgentPurpose {
    /// Returns the URL as one that may be given to a browser.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument`.
    func browserURL(_ url: URL) throws -> BrowserURL {
        guard let page = BrowserURL(url) else {
            throw AuthStateError(
                .invalidArgument, stage: stage, "This URL is not shown to a user.",
                expected: "an http or https URL with a host", received: url.redactedDescription)
        }
        return page
    }

    var presentedTwice: AuthStateError {
        AuthStateError(.invalidArgument, stage: stage, "A user agent session is presented once.")
    }

    /// One of the two visitors is not the browser that was opened, and which one cannot be told.
    var openedTwice: AuthStateError {
        let noun = self == .login ? "login" : "logout"
        return AuthStateError(
            .openedTwice, stage: stage,
            "The one-time address of the \(noun) was opened twice, so the \(noun) was ended.",
            expected: "one visit, of the browser that was opened", received: "a second visit",
            hint: "Start the \(noun) again and open the address once. If you did, another program opened it: one that "
                + "checks links, or one of another user of this machine, who may want you to work with their account.")
    }

    /// Returns the error of a trip without an answer: the user may be stranded on a page of the provider's that says
    /// why.
    ///
    /// - Parameter refused: The last answer that was refused meanwhile.
    func noAnswerCame(to redirectURI: RedirectURI, within timeout: Duration, refused: String? = nil) -> AuthStateError {
        AuthStateError(
            .timedOut, stage: stage, "No answer came from the provider within \(timeout.components.seconds) seconds.",
            expected: "an answer at \(redirectURI)", received: refused
        ).explained
    }
}
