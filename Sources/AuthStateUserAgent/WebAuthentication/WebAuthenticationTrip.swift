import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// One trip through the system's window. It holds the window until `finish`, and its first result counts.
final class WebAuthenticationTrip: ExternalUserAgentSession {
    private let place: CallbackPlace
    private let purpose: UserAgentPurpose
    private let callback: WebAuthenticationCallback
    private let agent: WebAuthenticationUserAgent
    private let browser = Lock<(any WebAuthenticationBrowser)?>(nil)
    private let isPresented = Lock(false)
    private let answer = SharedResult<URL>()

    init(
        _ agent: WebAuthenticationUserAgent, place: CallbackPlace, purpose: UserAgentPurpose,
        callback: WebAuthenticationCallback
    ) {
        (self.agent, self.place, self.purpose, self.callback) = (agent, place, purpose, callback)
    }

    var redirectURI: RedirectURI { place.redirectURI }

    func present(_ url: URL) async throws -> AuthorizationCallback {
        let page = WebAuthenticationPage(
            url: try purpose.browserURL(url).url, callback: callback,
            isEphemeral: agent.configuration.prefersEphemeralWebBrowserSession,
            additionalHeaderFields: agent.configuration.additionalHeaderFields)
        let isFirst = isPresented.withLock { isPresented in
            defer { isPresented = true }
            return !isPresented
        }
        guard isFirst else { throw purpose.presentedTwice }
        do {
            try await open(page)
            let address = try await answer.value().absoluteString
            if let answer = place.callback(address) {
                // The window was opened for this login, and has ended.
                if purpose == .login, let refusal = answer.unconfirmedRefusal { throw refusal }
                return answer
            }
            throw AuthStateError(
                .callbackMismatch, stage: purpose.stage, "The window ended at another address than the callback URL.",
                expected: place.callbackURL.rawValue, received: URIReference(address).redacted,
                hint: "Register the same redirect URI with the provider that the app uses.")
        } catch let failure as WebAuthenticationFailure {
            throw failure.error(stage: purpose.stage, page: page)
        }
    }

    @MainActor
    private func open(_ page: WebAuthenticationPage) throws {
        try Task.checkCancellation()
        let browser = agent.makeBrowser()
        self.browser.withLock { $0 = browser }
        do throws(WebAuthenticationFailure) {
            try browser.start(page) { [answer] result in answer.finish(result.mapError { $0 as any Error }) }
        } catch {
            // The completion may get the reason on the main queue, just before or after this; then that explanation
            // counts.
            Task { answer.finish(.failure(error)) }
        }
    }

    /// Closes the window if nothing has come, and releases it on the main actor, where it was made.
    @MainActor
    func finish(_ outcome: UserAgentOutcome) async {
        let browser = browser.withLock { browser in
            defer { browser = nil }
            return browser
        }
        if answer.finish(.failure(CancellationError())) { browser?.cancel() }
    }
}
