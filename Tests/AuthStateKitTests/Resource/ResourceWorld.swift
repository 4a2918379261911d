import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateResource

/// A protected resource beside its provider, and what was sent to both.
struct ResourceWorld: Sendable {
    /// Passes requests on, and remembers them.
    final class Wire: HTTPTransport {
        private let seen = Lock<[TransportRequest]>([])
        /// Where GET is answered with 405, as servers of the Model Context Protocol do that keep no sessions.
        let takesOnlyPost = Lock<URL?>(nil)
        /// Changes the challenges of answers.
        let challengeEdit = Lock<(@Sendable (String) -> String)?>(nil)
        var requests: [TransportRequest] { seen.withLock { $0 } }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            seen.withLock { $0.append(request) }
            if request.method == .get, request.url == takesOnlyPost.withLock({ $0 }) {
                return TransportResponse(status: 405, headers: ["Allow": "POST"])
            }
            var response = try await SystemTransport.shared.send(request)
            if let edit = challengeEdit.withLock({ $0 }) {
                let challenges = response.headers[values: "WWW-Authenticate"]
                response.headers[values: "WWW-Authenticate"] = challenges.map(edit)
            }
            return response
        }
    }

    static let metadata: ClientMetadata = {
        var metadata = ClientMetadata()
        metadata.clientName = "Tests"
        return metadata
    }()

    let provider: OpenIDProvider
    let wire = Wire()
    let service: AuthorizationService
    let store = InMemoryAuthStateStore()

    init(clock: ManualClock? = nil, _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }) async throws {
        var configuration = OpenIDProvider.Configuration()
        change(&configuration)
        provider = try await OpenIDProvider(configuration: configuration, clock: clock?.wallClock ?? .system)
        service = AuthorizationService(wire) { limits in
            if let clock { limits.clock = WallClock { clock.date } }
        }
    }

    var url: URL { provider.url(of: .resource) }

    /// An access, as a process has it.
    func access(
        clients: [ResourceClient] = [.registering(metadata)], login: ResourceLogin = .presenting(DirectUserAgent()),
        store: (any AuthStateStore)? = nil, key: AuthStateKey? = nil, policy: UnauthorizedPolicy = .renewOnce,
        _ change: (inout ResourceAccess.Options) -> Void = { _ in }
    ) throws -> ResourceAccess {
        var options = ResourceAccess.Options()
        change(&options)
        var stateOptions = AuthState.Options()
        stateOptions.unauthorizedPolicy = policy
        return try ResourceAccess(
            url.absoluteString, clients: clients, login: login, store: store ?? self.store, key: key, service: service,
            stateOptions: stateOptions, options: options)
    }

    func get() -> TransportRequest { TransportRequest(url: url) }
    func post() -> TransportRequest { TransportRequest(method: .post, url: url) }

    /// Logs a user in by two requests of a browser.
    func logIn(_ access: ResourceAccess, because error: AuthStateError? = nil) async throws {
        let redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        let pending = try await access.beginLogin(redirectURI: redirectURI, because: error)
        let session = try await DirectUserAgent().prepare(redirectURI: redirectURI, for: .login)
        try await access.completeLogin(pending, callback: try await session.present(pending.url))
    }

    /// The number of logins.
    var logins: Int { provider.requestCount(.authorization) }
    var asked: [Parameters] { provider.requests(at: .authorization).map(\.parameters) }
}
