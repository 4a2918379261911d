import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import AuthStateUserAgent
import Testing

/// A provider in the process, a store that stays, and a browser that shows a page and comes back when it is told to.
struct RedirectWorld: Sendable {
    static let redirectURI = "com.example.app:/callback"

    let provider: OpenIDProvider
    let clock = ManualClock()
    let store = InMemoryAuthStateStore()
    let browser = RedirectBrowser()

    init() async throws { provider = try await OpenIDProvider(clock: clock.wallClock) }

    var service: AuthorizationService { AuthorizationService { [clock] in $0.clock = WallClock { clock.date } } }

    func request(redirectURI: String = redirectURI) async throws -> AuthorizationRequest {
        AuthorizationRequest(
            Client(try await service.discoverConfiguration(issuer: provider.issuer), id: "app"),
            redirectURI: try RedirectURI(redirectURI))
    }

    /// The app as it is after a start: nothing but the store is left of the one before.
    func launch(_ store: (any AuthStateStore)? = nil) throws -> RedirectApp {
        try RedirectApp(store: store, clock: clock.wallClock, browser: browser)
    }

    /// The user agent of an app, with a timeout on the world's clock.
    func agent(
        _ app: RedirectApp, label: String? = nil, timeout: Duration = .seconds(600)
    ) -> RedirectUserAgent {
        RedirectUserAgent(router: app.router, label: label, timeout: timeout, clock: clock) { [browser] in
            browser.show($0)
        }
    }

    /// Begins a login in an app, which waits for its answer.
    func beginLogin(_ request: AuthorizationRequest, in app: RedirectApp) -> Task<AuthState, any Error> {
        Task { try await AuthState.logIn(.browser(request, agent(app)), at: .memory(service: service)) }
    }

    /// Begins a logout in an app, which waits for its answer.
    func beginLogout(in app: RedirectApp) async throws -> Task<Void, any Error> {
        var request = EndSessionRequest(configuration: try await self.request().client.provider, clientID: "app")
        request.postLogoutRedirectURI = try RedirectURI(Self.redirectURI)
        return Task { [request] in try await service.endSession(request, presenting: agent(app)) }
    }
}

/// The pages that were opened.
final class RedirectBrowser: Sendable {
    private let pages = Lock<[URL]>([])

    func show(_ page: URL) -> Bool {
        pages.withLock { $0.append(page) }
        return true
    }

    /// Waits for a page to be opened, and logs in there: the URL that the provider sends the user back to.
    func answer(page index: Int = 0, at redirectURI: String = RedirectWorld.redirectURI) async throws -> URL {
        try await eventually { pages.withLock { $0.count > index } }
        let session = try await DirectUserAgent().prepare(redirectURI: RedirectURI(redirectURI), for: .login)
        return try #require(URL(string: try await session.present(pages.withLock { $0[index] }).url))
    }
}

/// An app from its start to its end, and what its router refused.
final class RedirectApp: Sendable {
    let router: RedirectRouter
    private let refusals: Refusals

    private final class Refusals: Sendable { let log = Lock<[AuthStateError]>([]) }

    init(store: (any AuthStateStore)?, clock: WallClock, browser: RedirectBrowser) throws {
        let refusals = Refusals()
        self.refusals = refusals
        router = RedirectRouter(
            redirectURIs: [try RedirectURI(RedirectWorld.redirectURI)], store: store, clock: clock
        ) { error in refusals.log.withLock { $0.append(error) } }
    }

    var refused: [AuthStateError.Code] { refusals.log.withLock { $0.map(\.code) } }

    /// Waits for a refusal that comes after the store was asked.
    func refused(_ codes: AuthStateError.Code...) async throws { try await eventually { refused == codes } }

    /// The next redirect of an earlier process.
    func restored() async throws -> RestoredRedirect {
        let router = router
        return try await bounded {
            for await redirect in router.restored { return redirect }
            throw Hang()
        }
    }
}
