import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Testing

/// A state with a scripted provider and a manual clock; every secret in it is marked.
struct Fixture {
    let clock = ManualClock()
    let transport: ScriptedTransport
    let service: AuthorizationService
    var options = AuthState.Options()
    var record: AuthState.Record

    init(
        _ replies: [ScriptedTransport.Reply] = [], then fallback: ScriptedTransport.Reply? = nil,
        refreshToken: String? = "SECRET-refresh-0", lifetime: Double = 3600
    ) throws {
        transport = ScriptedTransport(replies, then: fallback)
        service = AuthorizationService(transport: transport, configuration: .init(clock: clock))
        options.renewalRetries = 0
        record = AuthState.Record(
            Client(
                ProviderConfiguration(
                    authorizationEndpoint: URL(string: "https://op.example/authorize"),
                    tokenEndpoint: try #require(URL(string: "https://op.example/token"))), id: "client"))
        record = record.applying(
            .tokens(
                TokenResponse(
                    accessToken: "SECRET-access-0", issuedAt: clock.date,
                    accessTokenExpirationDate: clock.date.addingTimeInterval(lifetime), refreshToken: refreshToken)))
    }

    func state(store: any AuthStateStore = InMemoryAuthStateStore()) -> AuthState {
        AuthState(record, service: service, store: store, options: options)
    }

    /// The place of another process's state in a store.
    func place(_ store: any AuthStateStore = InMemoryAuthStateStore()) -> AuthState.Place {
        AuthState.Place(store, service: service, options: options)
    }

    /// Tokens that are issued now, for an hour.
    func response(_ accessToken: String, refreshToken: String? = nil) -> TokenResponse {
        TokenResponse(
            accessToken: accessToken, issuedAt: clock.date,
            accessTokenExpirationDate: clock.date.addingTimeInterval(3600), refreshToken: refreshToken)
    }

    func login(_ name: String) -> TokenResponse { response("SECRET-\(name)", refreshToken: "SECRET-\(name)-refresh") }

    /// A token response of the provider, the nth.
    static func tokens(_ n: Int, expiresIn: Int = 3600, refresh: Bool = true) -> ScriptedTransport.Reply {
        .json(
            """
            {"access_token":"SECRET-access-\(n)","token_type":"Bearer","expires_in":\(expiresIn)\
            \(refresh ? ",\"refresh_token\":\"SECRET-refresh-\(n)\"" : "")}
            """)
    }

    static func error(_ code: String, status: Int = 400) -> ScriptedTransport.Reply {
        .json(#"{"error":"\#(code)"}"#, status: status)
    }

    /// The refresh tokens that were spent, in order.
    var spent: [String] {
        transport.requests.compactMap {
            $0.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) }?["refresh_token"]
        }
    }
}

/// Collects what an observer hears.
final class EventLog: AuthStateObserver {
    private let log = Lock<[AuthStateEvent]>([])
    func authState(_ state: AuthState, did event: AuthStateEvent) { log.withLock { $0.append(event) } }
    var events: [AuthStateEvent] { log.withLock { $0 } }
}

/// The error that a body throws, as an `AuthStateError`.
nonisolated(nonsending) func authError<R>(
    _ body: nonisolated(nonsending) () async throws -> R
) async -> AuthStateError? {
    do { _ = try await body() } catch { return error as? AuthStateError }
    return nil
}

extension AuthStateStore {
    /// The state that is stored.
    func record(_ key: AuthStateKey = .default) async throws -> AuthState.Record? {
        try await load(key).map { try AuthStateArchive(data: $0.archive).record }
    }

    /// The login that is stored; nil when there is none, also after a logout, which leaves a state without a grant.
    func login(_ key: AuthStateKey = .default) async throws -> AuthState.Record? {
        guard let record = try await record(key) else { return nil }
        let isEmpty =
            record.lastTokenResponse == nil && record.refreshToken == nil && record.idToken == nil
            && record.dpopKey == nil && record.machineGrant == nil && record.lastAuthorizationResponse == nil
            && record.authorizationDetails == nil && record.resources.isEmpty && record.unknownMembers.isEmpty
        return record.isLoggedOut && isEmpty ? nil : record
    }
}
