import AuthStateFoundation
import AuthStateKit
import AuthStateStorage
import AuthStateTesting
import Testing

struct UnauthorizedTests {
    private let api = TransportRequest(url: URL(string: "https://api.example/things")!)

    private func unauthorized(_ challenge: String?..., body: String = "") -> ScriptedTransport.Reply {
        var headers: TransportHeaders = [:]
        headers[values: "WWW-Authenticate"] = challenge.compactMap { $0 }
        return .response(TransportResponse(status: 401, headers: headers, body: Data(body.utf8)))
    }

    @Test("one 401 leads to one renewal and one replay with the new token")
    func oneRenewalOneReplay() async throws {
        let fixture = try Fixture([
            unauthorized(#"Bearer error="invalid_token""#), Fixture.tokens(1), .json(#"{"ok":true}"#),
        ])
        let state = fixture.state()
        #expect(try await state.performAction(api).status == 200)
        #expect(
            fixture.transport.requests.map { $0.headers["Authorization"] }
                == ["Bearer SECRET-access-0", nil, "Bearer SECRET-access-1"])
        #expect(state.isAuthorized)
    }

    @Test func `a token that is refused before its renewal has ended is renewed once more`() async throws {
        var fixture = try Fixture([
            Fixture.tokens(1), unauthorized("Bearer"), Fixture.tokens(2), .json("{}"),
        ])
        let (gate, events) = (ScriptedTransport.Gate(), EventLog())
        fixture.options.observer = events
        let state = fixture.state(store: LingeringLeases(gate))
        let renewal = Task { try await state.refresh() }
        await gate.arrivals()
        let request = Task { try await state.performAction(api).status }
        try await eventually { events.events.contains(.tokensRequested(joined: true)) }
        gate.open()
        #expect(try await bounded { try await request.value } == 200)
        #expect(try await renewal.value.accessToken == "SECRET-access-1")
        #expect(
            fixture.transport.requests.compactMap { $0.headers["Authorization"] }
                == ["Bearer SECRET-access-1", "Bearer SECRET-access-2"])
    }

    @Test func `a renewal for a refused token that brings the same one is the only one of its callers`() async throws {
        let (refusals, gate) = (ScriptedTransport.Gate(), ScriptedTransport.Gate())
        let refused = ScriptedTransport.Reply.gated(refusals, then: unauthorized("Bearer"))
        var fixture = try Fixture(
            Array(repeating: refused, count: 20) + [.gated(gate, then: Fixture.tokens(0))], then: Fixture.tokens(0))
        let events = EventLog()
        fixture.options.observer = events
        let state = fixture.state()
        let requests = (0..<20).map { _ in Task { await authError { try await state.performAction(api) }?.code } }
        await refusals.arrivals(20)
        refusals.open()
        try await eventually { events.events.count { $0 == .tokensRequested(joined: true) } == 19 }
        gate.open()
        for request in requests { #expect(try await bounded { await request.value } == .tokenRejected) }
        #expect(fixture.spent.count == 1)
    }

    @Test("a second 401 moves the state into error, with the challenge and the body in it; the grant is kept")
    func secondRefusal() async throws {
        let challenge = #"Bearer realm="api", error="invalid_token", error_description="revoked, sorry""#
        let fixture = try Fixture([
            unauthorized(challenge), Fixture.tokens(1), unauthorized(challenge, body: "go away"),
        ])
        let state = fixture.state()
        let error = await authError { try await state.performAction(api) }
        #expect(error?.code == .tokenRejected)
        #expect(state.authorizationError == error)
        #expect(error?.challenge?.errorDescription == "revoked, sorry")
        #expect(error?.responseBody == "go away")
        #expect(state.record.refreshToken == "SECRET-refresh-1")
        #expect(await authError { try await state.freshTokens() }?.code == .tokenRejected)
    }

    @Test("an archived error keeps the beginning of a challenge that is too long", arguments: [401, 403])
    func longChallenge(_ status: Int) async throws {
        let code = status == 401 ? "invalid_token" : "insufficient_scope"
        let challenge = #"Bearer error="\#(code)", realm="\#(String(repeating: "x", count: 9000))""#
        let reply = ScriptedTransport.Reply.response(
            TransportResponse(status: status, headers: ["WWW-Authenticate": challenge]))
        let state = try Fixture([reply], refreshToken: nil).state()
        let error = await authError { try await state.performAction(api) }
        #expect(error?.challenge?.error == code && error?.challenge?.parameters["realm"]?.count == 1025)
        #expect(try AuthStateArchive(state.record).data().count < 4000)
    }

    @Test func `the first 401 is the error when nothing can be renewed`() async throws {
        let fixture = try Fixture([unauthorized("Bearer")], refreshToken: nil)
        let state = fixture.state()
        #expect(await authError { try await state.performAction(api) }?.code == .tokenRejected)
        #expect(!state.isAuthorized)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test(
        "the challenges of a 401 decide whether the token counts as refused",
        arguments: [
            (["Bearer"], true), ([#"DPoP algs="ES256""#], true), ([], true), ([#"Bearer error="unfinished"#], true),
            ([#"Bearer error="invalid_token""#], true), ([#"Basic realm="x, y", Bearer error="invalid_token""#], true),
            ([#"Basic realm="x""#], false), (["Negotiate"], false),
            ([#"DPoP error="use_dpop_nonce""#], false), ([#"Bearer error="invalid_request""#], false),
        ] as [([String], Bool)])
    func whatCounts(_ lines: [String], _ isRefused: Bool) async throws {
        var headers: TransportHeaders = [:]
        headers[values: "WWW-Authenticate"] = lines
        let fixture = try Fixture(
            [.response(TransportResponse(status: 401, headers: headers)), Fixture.tokens(1)], then: .json("{}"))
        #expect(try await fixture.state().performAction(api).status == (isRefused ? 200 : 401))
        #expect(fixture.spent.isEmpty != isRefused)
    }

    @Test func `a 407 says nothing about the token`() async throws {
        let fixture = try Fixture([.response(TransportResponse(status: 407))])
        #expect(try await fixture.state().performAction(api).status == 407)
    }

    @Test func `too little scope and too weak a login are typed errors that leave the state as it was`() async throws {
        let scope = #"Bearer error="insufficient_scope", scope="write""#
        let login = #"Bearer error="insufficient_user_authentication", acr_values="gold""#
        var headers: TransportHeaders = ["WWW-Authenticate": scope]
        let fixture = try Fixture([.response(TransportResponse(status: 403, headers: headers))])
        headers["WWW-Authenticate"] = login
        fixture.transport.enqueue(.response(TransportResponse(status: 401, headers: headers)))
        let state = fixture.state()
        let first = await authError { try await state.performAction(api) }
        #expect(first?.code == .insufficientScope)
        #expect(first?.expected == "write")
        let second = await authError { try await state.performAction(api) }
        #expect(second?.code == .insufficientUserAuthentication)
        #expect(second?.expected == "gold")
        #expect(state.isAuthorized)
        #expect(fixture.spent.isEmpty)
    }

    @Test("under the policy fail the first 401 is the state's error; under failRequestOnly the state stays")
    func policies() async throws {
        let failing = try Fixture([unauthorized("Bearer")])
        let first = failing.state()
        #expect(await authError { try await first.performAction(api, policy: .fail) }?.code == .tokenRejected)
        #expect(!first.isAuthorized)
        let lenient = try Fixture([unauthorized("Bearer")])
        let second = lenient.state()
        #expect(
            await authError { try await second.performAction(api, policy: .failRequestOnly) }?.code == .tokenRejected)
        #expect(second.isAuthorized)
        #expect(failing.spent.isEmpty && lenient.spent.isEmpty)
    }

    @Test(
        "under renewOnceForRequest a second 401 fails the request alone, and for a minute its token leads to no renewal"
    )
    func renewOnceForRequest() async throws {
        let refusal = unauthorized("Bearer")
        let fixture = try Fixture([refusal, Fixture.tokens(1), refusal, refusal, refusal, Fixture.tokens(2), refusal])
        let state = fixture.state()
        func refused() async {
            let error = await authError { try await state.performAction(api, policy: .renewOnceForRequest) }
            #expect(error?.code == .tokenRejected && state.isAuthorized)
            #expect(error?.message.contains("also after a renewal") == true)
        }
        for _ in 0..<2 { await refused() }
        #expect(fixture.spent.count == 1)
        fixture.clock.advance(by: .seconds(61))
        await refused()
        #expect(fixture.spent.count == 2)
    }

    @Test(
        "a resource that always refuses tokens for parameters costs one renewal a minute, and not the login",
        arguments: [UnauthorizedPolicy.renewOnce, .renewOnceForRequest])
    func refusedForParameters(_ policy: UnauthorizedPolicy) async throws {
        let refusal = unauthorized("Bearer")
        let fixture = try Fixture([Fixture.tokens(1), refusal, Fixture.tokens(2), refusal, refusal, refusal])
        let state = fixture.state()
        for _ in 0..<3 {
            let error = await authError {
                try await state.performAction(api, parameters: RenewalParameters(scopes: ["read"]), policy: policy)
            }
            #expect(error?.code == .tokenRejected && state.isAuthorized)
            #expect(error?.message.contains("also after a renewal") == true)
        }
        // The first tokens for the parameters, and their renewal.
        #expect(fixture.spent == ["SECRET-refresh-0", "SECRET-refresh-1"])
    }

    @Test("a refusal that is remembered ends with a clock that is set back")
    func refusedBeforeClockWasSet() async throws {
        let refusal = unauthorized("Bearer")
        let fixture = try Fixture([
            refusal, Fixture.tokens(1), refusal, refusal, Fixture.tokens(2), .json("{}"),
        ])
        let state = fixture.state()
        #expect(await authError { try await state.performAction(api, policy: .renewOnceForRequest) } != nil)
        fixture.clock.advance(by: .seconds(-3000))
        #expect(try await state.performAction(api, policy: .renewOnceForRequest).status == 200)
    }

    @Test func `many callers refused with one token share one renewal`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = fixture.state()
        let used = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await state.withFreshToken { tokens in
                        if tokens.accessToken == "SECRET-access-0" { throw TokenRejected(challenges: ["Bearer"]) }
                        return tokens.accessToken
                    }
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(used == ["SECRET-access-1"])
        #expect(fixture.transport.requests.count == 1)
    }

    @Test("a caller who is refused while the renewed tokens are being saved waits for them")
    func refusedDuringSave() async throws {
        var fixture = try Fixture([Fixture.tokens(1)])
        let (store, saving) = (FaultyStore(), ScriptedTransport.Gate())
        store.hold(.save, at: saving)
        fixture.options.observer = Joining { saving.open() }
        let state = fixture.state(store: store)
        @Sendable func use() async throws -> String {
            try await state.withFreshToken { tokens in
                if tokens.accessToken == "SECRET-access-0" { throw TokenRejected(challenges: ["Bearer"]) }
                return tokens.accessToken
            }
        }
        let first = Task { try await use() }
        await saving.arrivals()
        let second = Task {
            // Opened by the observer, unless the call ends without waiting.
            defer { saving.open() }
            return try await use()
        }
        #expect(try await bounded { try await second.value } == "SECRET-access-1")
        #expect(try await bounded { try await first.value } == "SECRET-access-1")
        #expect(fixture.spent == ["SECRET-refresh-0"])
    }

    @Test func `a late refusal of an older token uses the newer one without another renewal`() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = fixture.state()
        let result = try await state.withFreshToken { tokens in
            if tokens.accessToken == "SECRET-access-0" {
                try await state.refresh()
                throw TokenRejected(challenges: ["Bearer"])
            }
            return tokens.accessToken
        }
        #expect(result == "SECRET-access-1")
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `a provider that renews into the same token is not asked twice`() async throws {
        let fixture = try Fixture([Fixture.tokens(0), Fixture.tokens(0)])
        let state = fixture.state()
        let error = await authError {
            try await state.withFreshToken { _ in throw TokenRejected(challenges: ["Bearer"]) }
        }
        #expect(error?.code == .tokenRejected)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test("the body runs in the caller's isolation and its own errors pass unchanged")
    @MainActor
    func bodyIsTheCallers() async throws {
        struct Own: Error {}
        let state = try Fixture().state()
        let notSendable = NSObjectLike()
        try await state.withFreshToken { _ in notSendable.count += 1 }
        #expect(notSendable.count == 1)
        await #expect(throws: Own.self) { try await state.withFreshToken { _ in throw Own() } }
        #expect(state.isAuthorized)
    }

    @Test("the token goes only to https, to loopback with a loopback issuer, and to allowed origins")
    func whereTokensGo() async throws {
        var fixture = try Fixture([], then: .json("{}"))
        fixture.options.allowedOrigins = ["https://api.example"]
        let state = fixture.state()
        for url in [
            "http://api.example/", "http://127.0.0.1:8080/", "https://other.example/", "https://api.example:444/",
        ] {
            let request = TransportRequest(url: try #require(URL(string: url)))
            #expect(await authError { try await state.performAction(request) }?.code == .insecureURL)
        }
        #expect(fixture.transport.requests.isEmpty)
        #expect(try await state.performAction(api).status == 200)
        #expect(
            try await state.performAction(TransportRequest(url: try #require(URL(string: "HTTPS://API.example:443/"))))
                .status
                == 200)
    }

    @Test func `the closure form calls back with tokens or an error, never with both`() async throws {
        let fixture = try Fixture([Fixture.error("invalid_grant")])
        let state = fixture.state()
        let first = await withCheckedContinuation { continuation in
            state.performAction { continuation.resume(returning: ($0, $2 == nil)) }
        }
        #expect(first.0 == "SECRET-access-0" && first.1)
        fixture.clock.advance(by: .seconds(4000))
        let second = await withCheckedContinuation { continuation in
            state.performAction { continuation.resume(returning: ($0, ($2 as? AuthStateError)?.code)) }
        }
        #expect(second.0 == nil && second.1 == .invalidGrant)
    }
}

/// Runs a body when a caller joins a renewal in progress.
private struct Joining: AuthStateObserver {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    func authState(_ state: AuthState, did event: AuthStateEvent) {
        if event == .tokensRequested(joined: true) { body() }
    }
}

/// Something that must stay with its caller.
private final class NSObjectLike { var count = 0 }

/// A store whose leases end at a gate, after what they saved is shown.
private struct LingeringLeases: AuthStateStore {
    private let inner = InMemoryAuthStateStore()
    private let gate: ScriptedTransport.Gate
    init(_ gate: ScriptedTransport.Gate) { self.gate = gate }

    func load(_ key: AuthStateKey) async throws -> StoredAuthState? { try await inner.load(key) }

    nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        let result = try await inner.withLease(key, deadline: deadline, whileWaiting: look, body)
        try await gate.pass()
        return result
    }
}
