import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateServer

extension Attack {
    /// A stolen login goes on although the user has logged out: the provider's logout token came while the login was in progress.
    static let endedSessions: [Attack] =
        LateLogin.Ending.allCases.map { ending in
            Attack(.endedSession) { _ = try await LateLogin().logIn(ending) }
        } + [
            Attack(.indexKey) {
                // The name that a user chooses is that of the entry in which another user's sessions are.
                let key = try SessionName(LogoutTokenForger.offer())?.key ?? .default
                try await IndexedAuthStateStore(InMemoryAuthStateStore()).withLease(key, deadline: .seconds(10)) {
                    lease in
                    _ = try await lease.save(Data("{}".utf8), expecting: nil)
                }
            },
            Attack(.indexKey) {
                let key = try SessionName(LogoutTokenForger.offer(["sid": "s"]))?.key ?? .default
                _ = try await IndexedAuthStateStore(InMemoryAuthStateStore()).load(key)
            },
        ]
}

/// A login at one of two servers. The provider ends its session while the answer with the ID token is on its way, and posts the
/// logout token to the other server.
struct LateLogin {
    /// The name of the session in the logout token.
    enum Ending: CaseIterable {
        case session, user
        /// The machine that makes the logout token has a clock that is half a minute behind.
        case sessionByOtherClock
        /// The same, by a second.
        case userByOtherClock
    }

    let clock = ManualClock()
    let base: InMemoryAuthStateStore
    let fixture: ProviderFixture
    let other: AuthStatePool

    init() async throws {
        fixture = try await ProviderFixture(clock: clock)
        base = InMemoryAuthStateStore(clock: clock.wallClock)
        other = AuthStatePool(store: IndexedAuthStateStore(base), service: fixture.service)
    }

    /// The server at which a user logs in, whose session the provider ends meanwhile.
    func server(_ ending: Ending) -> AuthStatePool {
        let transport = Interruption { response in
            let compact = (try? JSONValue(parsing: Array(response.body)))?["id_token"]?.stringValue
            guard let token = try compact.map({ try IDToken(parsing: $0) }) else { return }
            try await end(token, ending)
        }
        return AuthStatePool(
            store: IndexedAuthStateStore(base),
            service: AuthorizationService(transport: transport, configuration: fixture.service.configuration))
    }

    /// Logs in; the state when that succeeds.
    func logIn(_ ending: Ending) async throws -> AuthState {
        try await server(ending).logIn(.browser(fixture.request(), DirectUserAgent()), for: "a")
    }

    /// The provider ends a session, and the other server has found none to end.
    private func end(_ token: IDToken, _ ending: Ending) async throws {
        let (isSession, behind): (Bool, Duration) =
            switch ending {
            case .session: (true, .zero)
            case .user: (false, .zero)
            case .sessionByOtherClock: (true, .seconds(30))
            case .userByOtherClock: (false, .seconds(1))
            }
        clock.advance(by: .zero - behind)
        let posted = try fixture.provider.logoutToken(
            for: "app", subject: isSession ? nil : token.subject, sessionID: isSession ? token.sessionID : nil)
        clock.advance(by: behind)
        let ended = try await other.logOut(
            try await fixture.service.logoutToken(posted, configuration: fixture.configuration, clientID: "app"))
        #expect(ended.ended.isEmpty)
    }

    /// Does something after each answer of a token endpoint, before the client gets it.
    private struct Interruption: HTTPTransport {
        let work: @Sendable (TransportResponse) async throws -> Void

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let response = try await SystemTransport.shared.send(request)
            if request.method == .post, request.url.path.hasSuffix("/token") { try await work(response) }
            return response
        }
    }
}
