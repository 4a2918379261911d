import AuthStateFoundation
import AuthStateLibc
public import AuthStateOAuth
import AuthStateSystem

/// Opens the system's browser and receives the answer on a loopback port (RFC 8252, section 7.3).
///
/// The redirect URI's host decides where it listens: `127.0.0.1`, `[::1]`, or both for `localhost`.
///
/// The browser gets a one-time address at the redirect URI's host and port. The address sets a cookie and leads on to the
/// provider's page, so that a command's arguments, which other users of the machine can read, show nothing of the
/// request. Only an answer with the cookie and the request's `state` is taken; other requests are refused and change
/// nothing. A second visit of the address ends the flow with `.openedTwice`: another program may have opened it.
///
/// In a terminal the one-time address is shown too, unless the browser is announced in another way
/// (`Browser.announcing(_:)`). Without a display the user is asked to paste the answer, as by `PasteUserAgent`.
public struct LoopbackUserAgent: ExternalUserAgent {
    /// The user's display and terminal, as far as the user agent depends on them.
    struct Desk: Sendable {
        var environment = ProcessInfo.processInfo.environment
        /// Whether a user reads what is shown, and can answer.
        var isInteractive = StandardTerminal.isInteractive
        var show: @Sendable (String) -> Void = { StandardTerminal.write($0) }
        var paste = PasteUserAgent()
    }

    private let browser: Browser
    private let timeout: Duration
    private let pages: LoopbackPages
    private let clock: any Clock<Duration>
    private let desk: Desk?
    private let refused: (@Sendable (_ answer: String) -> Void)?

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - browser: Opens the one-time address; it has to keep cookies and follow redirects.
    ///   - timeout: The time that a user has, from the opening of the browser to the provider's answer.
    ///   - pages: The pages that the browser shows at the end.
    ///   - clock: Measures the timeout.
    ///   - refused: Called for an answer that is refused while the right one is waited for, so that the user need not wait for the
    ///     time limit to learn of it. Any page in the browser, and any program on the machine, can cause it.
    public init(
        browser: Browser = .system, timeout: Duration = .seconds(300), pages: LoopbackPages = .default,
        clock: any Clock<Duration> = ContinuousClock(), refused: (@Sendable (_ answer: String) -> Void)? = nil
    ) {
        self.init(browser: browser, timeout: timeout, pages: pages, clock: clock, refused: refused, at: nil)
    }

    /// - Parameter desk: Nil looks at the process's own when a login begins.
    init(
        browser: Browser, timeout: Duration = .seconds(300), pages: LoopbackPages = .default,
        clock: any Clock<Duration> = ContinuousClock(), refused: (@Sendable (_ answer: String) -> Void)? = nil,
        at desk: Desk?
    ) {
        (self.browser, self.timeout, self.pages) = (browser, timeout, pages)
        (self.clock, self.refused, self.desk) = (clock, refused, desk)
    }

    /// Starts to listen; nil asks for `http://127.0.0.1/callback` on any free port.
    ///
    /// - Throws: `AuthStateError` with `.portInUse`; `.invalidRedirectURI` when the URI is not http on loopback;
    ///   `.browserUnavailable` without a display, and without a terminal to paste into.
    public func prepare(
        redirectURI: RedirectURI?, for purpose: UserAgentPurpose
    ) async throws -> any ExternalUserAgentSession {
        let desk = desk ?? Desk()
        guard browser.isAvailable(environment: desk.environment) else {
            guard desk.isInteractive else { throw Browser.noDisplay(purpose.stage) }
            return try await desk.paste.prepare(redirectURI: redirectURI, for: purpose)
        }
        let browser = desk.isInteractive ? browser.announcingIfSilent { desk.show(Self.announcement(of: $0)) } : browser
        let asked = try redirectURI ?? RedirectURI("http://127.0.0.1:0/callback")
        guard asked.isLoopback, asked.parts.user == nil else {
            throw AuthStateError(
                .invalidRedirectURI, stage: purpose.stage, "The loopback user agent cannot receive this redirect URI.",
                expected: "http, and 127.0.0.1, [::1] or localhost", received: asked.rawValue,
                hint: "Use http://127.0.0.1:0/callback, or the user agent to paste into.")
        }
        let port = asked.port ?? 80
        let exchange = LoopbackExchange(pages: pages, purpose: purpose, onRefusal: refused)
        var limits = LoopbackLimits()
        // Browsers send the cookies of every port of a host, those of other projects too.
        limits.headBytes = 64 << 10
        do throws(SystemCallError) {
            let server = try LoopbackServer(
                port: port, addresses: Self.addresses(for: asked), limits: limits
            ) { request, responder in exchange.handle(request, responder) }
            let redirectURI = port == 0 ? asked.withPort(server.port) : asked
            return LoopbackSession(
                redirectURI: redirectURI, server: server, exchange: exchange, browser: browser, timeout: timeout,
                clock: clock, purpose: purpose)
        } catch {
            throw Self.failure(error, port: port, stage: purpose.stage)
        }
    }

    private static func announcement(of url: URL) -> String {
        "If no browser opens, open this address, which works once:\n\n  \(url.absoluteString)\n\n"
    }

    /// Returns both addresses for `localhost`: it may mean either to the browser, and no other program may hold one.
    private static func addresses(for redirectURI: RedirectURI) -> [LoopbackAddress] {
        switch redirectURI.parts.host {
        case "127.0.0.1": [.ipv4]
        case "[::1]": [.ipv6]
        default: [.ipv4, .ipv6]
        }
    }

    private static func failure(_ error: SystemCallError, port: UInt16, stage: AuthStateError.Stage) -> AuthStateError {
        switch error.code {
        case EADDRINUSE:
            AuthStateError(
                .portInUse, stage: stage, "Port \(port) of the redirect URI is in use.",
                hint: "Use port 0 for any free port, or end the program that holds it.", underlying: error)
        case EACCES:
            AuthStateError(
                .invalidRedirectURI, stage: stage, "This account may not listen on port \(port).",
                hint: "Use port 0 for any free port, or one from 1024 on.", underlying: error)
        default:
            AuthStateError(
                .unsupported, stage: stage, "The loopback address of the redirect URI cannot be listened on.",
                hint: "Use http://127.0.0.1:0/callback, or the user agent to paste into.", underlying: error)
        }
    }
}
