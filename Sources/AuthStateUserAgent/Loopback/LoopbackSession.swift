import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// One trip to the provider and back through the browser; listening ends with `finish` or the session's release.
final class LoopbackSession: ExternalUserAgentSession {
    /// The time that the browser waits for the last page before it gets a neutral one.
    private static let longestHold = Duration.seconds(30)
    /// The time that the last page may take to reach the browser.
    private static let grace = Duration.seconds(1)

    let redirectURI: RedirectURI
    private let server: LoopbackServer
    private let exchange: LoopbackExchange
    private let browser: Browser
    private let timeout: Duration
    private let clock: any Clock<Duration>
    private let purpose: UserAgentPurpose
    private let hold = Lock<Task<Void, Never>?>(nil)

    init(
        redirectURI: RedirectURI, server: LoopbackServer, exchange: LoopbackExchange, browser: Browser,
        timeout: Duration, clock: any Clock<Duration>, purpose: UserAgentPurpose
    ) {
        (self.redirectURI, self.server, self.exchange, self.browser) = (redirectURI, server, exchange, browser)
        (self.timeout, self.clock, self.purpose) = (timeout, clock, purpose)
    }

    deinit { hold.withLock { $0?.cancel() } }

    /// Presents a URL; the state is the URL's, when it shows one.
    func present(_ url: URL) async throws -> AuthorizationCallback {
        let states = URIReference(url.absoluteString).query.flatMap { Parameters(decoding: $0) }?.values("state") ?? []
        return try await present(url, state: states.count == 1 ? states[0] : nil)
    }

    func present(_ flow: RestoredRedirect.Flow) async throws -> AuthorizationCallback {
        try await present(flow.url, state: flow.state)
    }

    private func present(_ url: URL, state: String?) async throws -> AuthorizationCallback {
        let (callback, stage) = (exchange.callback, purpose.stage)
        let page = try purpose.browserURL(url)
        let rules = LoopbackCallbackRules(
            redirectURI: redirectURI, purpose: purpose,
            entrance: LoopbackEntrance(to: page.text, redirectURI: redirectURI, lifetime: timeout), state: state)
        guard let entrance = URL(string: rules.entranceURL), exchange.expect(by: rules) else {
            throw purpose.presentedTwice
        }
        let limit = Task { [clock, timeout, purpose, redirectURI, exchange] in
            try await clock.sleep(for: timeout)
            let refused = exchange.refusedAnswer
            callback.finish(.failure(purpose.noAnswerCame(to: redirectURI, within: timeout, refused: refused)))
        }
        defer { limit.cancel() }
        try Task.checkCancellation()
        try browser.open(entrance, stage: stage) { callback.finish(.failure($0)) }
        let answer = try await callback.value()
        boundHold()
        return answer
    }

    func confirm() async throws { if exchange.isContested { throw purpose.openedTwice } }

    func finish(_ outcome: UserAgentOutcome) async {
        hold.withLock { $0?.cancel() }
        exchange.close(with: .outcome(outcome))
        exchange.callback.finish(.failure(CancellationError()))
        server.stop(grace: Self.grace)
        await server.stopped()
    }

    /// Sends the browser a neutral page when the program does not finish in time.
    private func boundHold() {
        let task = Task { [clock, exchange] in
            do { try await clock.sleep(for: Self.longestHold) } catch { return }
            exchange.close(with: .undecided)
        }
        hold.withLock { $0 = task }
    }
}
