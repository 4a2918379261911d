internal import AuthStateJOSE
internal import AuthStateOAuth

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One trip to the provider and back through the browser; listening ends with `finish`, or when it is let go of.
final class LoopbackSession: ExternalUserAgentSession {
    /// How long the browser waits for the last page before it gets a neutral one.
    private static let longestHold = Duration.seconds(30)
    /// How long the last page may take to reach the browser.
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
        self.redirectURI = redirectURI
        self.server = server
        self.exchange = exchange
        self.browser = browser
        self.timeout = timeout
        self.clock = clock
        self.purpose = purpose
    }

    deinit { hold.withLock { $0?.cancel() } }

    func present(_ url: URL) async throws -> AuthorizationCallback {
        let (callback, stage) = (exchange.callback, purpose.stage)
        guard exchange.expect() else { throw purpose.presentedTwice }
        let limit = Task { [clock, timeout, purpose, redirectURI] in
            try await clock.sleep(for: timeout)
            callback.finish(.failure(purpose.nobodyCameBack(to: redirectURI, within: timeout)))
        }
        defer { limit.cancel() }
        try Task.checkCancellation()
        try browser.open(url, stage: stage) { callback.finish(.failure($0)) }
        let answer = try await callback.value()
        boundHold()
        return answer
    }

    func finish(_ outcome: UserAgentOutcome) async {
        hold.withLock { $0?.cancel() }
        exchange.close(with: .outcome(outcome))
        exchange.callback.finish(.failure(CancellationError()))
        server.stop(grace: Self.grace)
        await server.stopped()
    }

    /// Lets the browser go with a neutral page when the program does not finish in time.
    private func boundHold() {
        let task = Task { [clock, exchange] in
            do { try await clock.sleep(for: Self.longestHold) } catch { return }
            exchange.close(with: .undecided)
        }
        hold.withLock { $0 = task }
    }
}
