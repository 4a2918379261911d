import AuthStateJOSE
import AuthStateKit
import AuthStateTesting
import Foundation
import XCTest

/// A provider by script, a clock moved by hand, and states that use both.
struct World {
    let clock = ManualClock()
    let transport = ScriptedTransport()
    let service: AuthorizationService
    let store = InMemoryAuthStateStore()
    let events = EventLog()
    var configuration: ProviderConfiguration

    init(waitingBy waitingClock: (any Clock<Duration>)? = nil) throws {
        var settings = AuthorizationService.Configuration()
        settings.clock = WallClock(waiting: waitingClock ?? clock) { [clock] in clock.date }
        service = AuthorizationService(transport: transport, configuration: settings)
        configuration = ProviderConfiguration(
            issuer: try Issuer("https://op.example"), authorizationEndpoint: try url("https://op.example/authorize"),
            tokenEndpoint: try url("https://op.example/token"), jwksURI: try url("https://op.example/keys"),
            endSessionEndpoint: try url("https://op.example/logout"),
            registrationEndpoint: try url("https://op.example/register"))
    }

    /// A state of a client, empty unless the record is changed; renewals are not repeated unless asked for.
    func state(retries: Int = 0, _ change: (inout AuthState.Record) -> Void = { _ in }) -> AuthState {
        var record = AuthState.Record(Client(configuration, id: "client"))
        change(&record)
        var options = AuthState.Options()
        options.renewalRetries = retries
        options.observer = events
        return AuthState(record, service: service, store: store, options: options)
    }

    /// A state with the tokens a1 and r1; a1 expires after so many seconds.
    func authorized(
        expiresIn seconds: Double? = 3600, refreshToken: String? = "r1", idToken: String? = nil, retries: Int = 0
    ) -> AuthState {
        state(retries: retries) {
            $0.lastTokenResponse = tokens("a1", expiresIn: seconds, refreshToken: refreshToken, idToken: idToken)
            $0.refreshToken = refreshToken
            $0.idToken = idToken
            $0.scope = "openid"
        }
    }

    func tokens(
        _ accessToken: String, expiresIn seconds: Double? = 3600, refreshToken: String? = nil, idToken: String? = nil,
        scope: String? = nil
    ) -> TokenResponse {
        TokenResponse(
            accessToken: accessToken, issuedAt: clock.date,
            accessTokenExpirationDate: seconds.map { clock.date.addingTimeInterval($0) }, refreshToken: refreshToken,
            idToken: idToken, scope: scope)
    }

    func request(scopes: [Scope] = [.openID, "profile"]) throws -> AuthorizationRequest {
        AuthorizationRequest(
            Client(configuration, id: "client"), scopes: scopes, redirectURI: try RedirectURI("https://app.example/cb"))
    }

    /// The provider's answer with a code.
    func codeResponse(_ request: AuthorizationRequest? = nil, extra: String = "") throws -> AuthorizationResponse {
        let request = try request ?? self.request()
        return try AuthorizationResponse(
            callback: AuthorizationCallback(url: "https://app.example/cb?code=c&state=\(request.state)\(extra)"),
            for: request)
    }

    /// The forms that were posted to the token endpoint.
    var forms: [Parameters] {
        transport.requests.filter { $0.url.path == "/token" }.compactMap { request in
            request.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) }
        }
    }
}

/// A good token response.
func grant(_ accessToken: String, refreshToken: String? = nil, more: String = "") -> ScriptedTransport.Reply {
    let refresh = refreshToken.map { #","refresh_token":"\#($0)""# } ?? ""
    return .json(#"{"access_token":"\#(accessToken)","token_type":"Bearer","expires_in":3600\#(refresh)\#(more)}"#)
}

/// An OAuth error response.
func refusal(_ error: String, status: Int = 400) -> ScriptedTransport.Reply {
    .json(#"{"error":"\#(error)","error_description":"why","error_uri":"https://op.example/why"}"#, status: status)
}

extension ScriptedTransport.Reply {
    /// Keys for a request for keys, else a grant with an ID token: the library decides which request comes first.
    static func grantOrKeys(_ mint: TokenMint, idToken: String) -> Self {
        .dynamic { request in
            let grant = #"{"access_token":"a1","token_type":"Bearer","expires_in":3600,"id_token":"\#(idToken)"}"#
            return TransportResponse(status: 200, body: Data((request.url.path == "/keys" ? mint.keys : grant).utf8))
        }
    }
}

/// The library's error that a body throws.
func failure(
    file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> some Any
) async -> AuthStateError? {
    do {
        _ = try await body()
        XCTFail("no error", file: file, line: line)
    } catch let error as AuthStateError {
        return error
    } catch {
        XCTFail("another error: \(error)", file: file, line: line)
    }
    return nil
}

/// Lets other tasks run until something holds, for a bounded time.
func eventually(file: StaticString = #filePath, line: UInt = #line, _ condition: () -> Bool) async {
    for _ in 0..<100_000 where !condition() { await Task.yield() }
    XCTAssertTrue(condition(), "it never came about", file: file, line: line)
}

/// Remembers what happened to a state.
final class EventLog: AuthStateObserver {
    private let events = Lock<[AuthStateEvent]>([])

    func authState(_ state: AuthState, did event: AuthStateEvent) { events.withLock { $0.append(event) } }

    var changes: Int { count { if case .changed = $0 { true } else { false } } }
    /// The number of callers that had to wait.
    var waiting: Int { count { if case .tokensRequested = $0 { true } else { false } } }

    private func count(_ isOne: (AuthStateEvent) -> Bool) -> Int { events.withLock { $0.filter(isOne).count } }
}

/// A provider's key, and ID tokens signed with it.
struct TokenMint {
    let key: SigningKey
    let keys: String

    init() throws {
        key = try SigningKey.generate(.es256, keyID: "k")
        keys = String(decoding: JSONWebKeySet(keys: [key.publicKey]).json.serialized(), as: UTF8.self)
    }

    /// A token of now, some claims replaced or removed.
    func token(at now: Date, _ changes: [String: JSONValue?] = [:]) throws -> String {
        let seconds = Int64(now.timeIntervalSince1970)
        var claims: [String: JSONValue] = [
            "iss": "https://op.example", "sub": "alice", "aud": "client", "exp": .number(JSONNumber(seconds + 300)),
            "iat": .number(JSONNumber(seconds)),
        ]
        for (name, value) in changes { claims[name] = value }
        return try JSONWebToken.sign(claims: .object(claims), with: key)
    }
}

func url(_ text: String) throws -> URL { try XCTUnwrap(URL(string: text)) }
