import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

struct RenewalTests {
    private let gate = ScriptedTransport.Gate()

    @Test func `fresh tokens are handed out without a request`() async throws {
        let fixture = try Fixture()
        #expect(try await fixture.state().freshTokens().accessToken == "SECRET-access-0")
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test("a token is no longer fresh at exactly the leeway before its expiry")
    func leewayIsStrict() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(3539))
        #expect(state.tokensIfFresh() != nil)
        fixture.clock.advance(by: .seconds(1))
        #expect(state.tokensIfFresh() == nil)
    }

    @Test func `the leeway of a short-lived token is a quarter of its life`() async throws {
        let fixture = try Fixture(lifetime: 8)
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(5.9))
        #expect(state.tokensIfFresh() != nil)
        fixture.clock.advance(by: .seconds(0.2))
        #expect(state.tokensIfFresh() == nil)
    }

    @Test("a thousand callers share one renewal")
    func thousandCallersShareOneRenewal() async throws {
        let fixture = try Fixture([.gated(gate, then: Fixture.tokens(1))])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        let tokens = try await bounded {
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<1000 { group.addTask { try await state.withFreshToken { $0.accessToken } } }
                await gate.arrivals()
                gate.open()
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
        }
        #expect(tokens == ["SECRET-access-1"])
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `cancelling 999 callers frees them while the renewal goes on for the last one`() async throws {
        let fixture = try Fixture([.gated(gate, then: Fixture.tokens(1))])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        let callers = (0..<1000).map { _ in Task { try await state.freshTokens().accessToken } }
        await gate.arrivals()
        for caller in callers.dropLast() { caller.cancel() }
        for caller in callers.dropLast() {
            // The gate is still closed: a caller that returns now was freed by its own cancellation.
            let result = try await bounded { await caller.result }
            #expect(throws: CancellationError.self) { try result.get() }
        }
        gate.open()
        let last = try #require(callers.last)
        #expect(try await bounded { try await last.value } == "SECRET-access-1")
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `cancelling the caller that started the renewal does not harm the others`() async throws {
        let fixture = try Fixture([.gated(gate, then: Fixture.tokens(1))])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        let first = Task { try await state.freshTokens() }
        await gate.arrivals()
        let second = Task { try await state.freshTokens().accessToken }
        first.cancel()
        gate.open()
        #expect(try await bounded { try await second.value } == "SECRET-access-1")
        #expect(fixture.spent == ["SECRET-refresh-0"])
    }

    @Test("a rotated refresh token is used for the next renewal, and kept when none comes")
    func rotation() async throws {
        let fixture = try Fixture([Fixture.tokens(1), Fixture.tokens(2, refresh: false), Fixture.tokens(3)])
        let state = fixture.state()
        for _ in 0..<3 { try await state.refresh() }
        #expect(fixture.spent == ["SECRET-refresh-0", "SECRET-refresh-1", "SECRET-refresh-1"])
        #expect(state.record.refreshToken == "SECRET-refresh-3")
    }

    @Test(
        "a passing failure leaves the state authorized, and the next call succeeds",
        arguments: [
            ScriptedTransport.Reply.failure(TransportError(.unreachable, "no route", requestMayHaveBeenSent: false)),
            .failure(TransportError(.timedOut, "slow", requestMayHaveBeenSent: true)),
            .failure(TransportError(.connectionLost, "reset", requestMayHaveBeenSent: true)),
            .json("busy", status: 429), .json("oops", status: 500), .json("later", status: 503),
            .json("", status: 408), Fixture.error("temporarily_unavailable"), Fixture.error("server_error"),
            Fixture.error("invalid_grant", status: 503),
        ])
    func transientFailures(_ failure: ScriptedTransport.Reply) async throws {
        let fixture = try Fixture([failure, Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        let error = await authError { try await state.freshTokens() }
        #expect(error?.kind == .transient)
        #expect(error?.stage == .refresh)
        #expect(state.isAuthorized)
        #expect(state.authorizationError == nil)
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
        #expect(fixture.spent == ["SECRET-refresh-0", "SECRET-refresh-0"])
    }

    @Test func `an unexpired token is served while the provider is away`() async throws {
        let fixture = try Fixture([.json("", status: 503), Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(3570))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-0")
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
    }

    @Test func `invalid_grant moves the state into error, and later calls throw it without a request`() async throws {
        let fixture = try Fixture([Fixture.error("invalid_grant")])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        #expect(await authError { try await state.freshTokens() }?.code == .invalidGrant)
        #expect(!state.isAuthorized)
        #expect(state.authorizationError?.code == .invalidGrant)
        #expect(await authError { try await state.freshTokens() }?.code == .invalidGrant)
        #expect(fixture.transport.requests.count == 1)
        #expect(state.record.refreshToken == "SECRET-refresh-0")
    }

    @Test func `an explicit refresh that succeeds leads out of the error`() async throws {
        let fixture = try Fixture([Fixture.error("invalid_grant"), Fixture.tokens(1)])
        let state = fixture.state()
        _ = await authError { try await state.refresh() }
        #expect(state.authorizationError != nil)
        #expect(try await state.refresh().accessToken == "SECRET-access-1")
        #expect(state.authorizationError == nil)
    }

    @Test(
        "other errors of the provider are thrown, not asked for again for some seconds, and the grant is kept",
        arguments: ["invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "unpaid"])
    func configurationErrors(_ code: String) async throws {
        let fixture = try Fixture([Fixture.error(code, status: 401), Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        let error = await authError { try await state.freshTokens() }
        #expect(error?.response?.error == code)
        #expect(state.isAuthorized && state.record.renewalPause == nil)
        #expect(await authError { try await state.freshTokens() }?.code == error?.code)
        #expect(fixture.transport.requests.count == 1)
        fixture.clock.advance(by: .seconds(10))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
    }

    @Test("a refusal without a reason keeps the grant and is not repeated for 30 s", arguments: [400, 401])
    func refusalWithoutReason(_ status: Int) async throws {
        let fixture = try Fixture([.json("", status: status), Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        #expect(await authError { try await state.freshTokens() }?.code == .refusedWithoutReason)
        #expect(state.isAuthorized)
        fixture.clock.advance(by: .seconds(29))
        let paused = await authError { try await state.freshTokens() }
        #expect(paused?.code == .refusedWithoutReason && paused?.retryAfter == .seconds(1))
        #expect(fixture.transport.requests.count == 1)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
    }

    @Test("a stored pause ends after an hour at most", arguments: ["4102444800", "1e300"])
    func damagedPause(_ until: String) async throws {
        var fixture = try Fixture([.json("", status: 400), Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        _ = await authError { try await state.freshTokens() }
        let archive = String(decoding: try AuthStateArchive(state.record).data(), as: UTF8.self)
            .replacing(/"until":[^,}]+/, with: #""until":\#(until)"#)
        fixture.record = try AuthStateArchive(data: Data(archive.utf8)).record
        let damaged = fixture.state()
        fixture.clock.advance(by: .seconds(3599))
        #expect(await authError { try await damaged.freshTokens() }?.retryAfter == .seconds(1))
        fixture.clock.advance(by: .seconds(1))
        #expect(try await damaged.freshTokens().accessToken == "SECRET-access-1")
    }

    @Test(
        "a lost answer is recorded, and a later refusal says so",
        arguments: [
            (Fixture.error("invalid_grant"), AuthStateError.Code.invalidGrant),
            (ScriptedTransport.Reply.json("", status: 400), .refusedWithoutReason),
        ])
    func lostAnswer(_ refusal: ScriptedTransport.Reply, _ code: AuthStateError.Code) async throws {
        let fixture = try Fixture([
            .failure(TransportError(.connectionLost, "reset", requestMayHaveBeenSent: true)), refusal,
        ])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        _ = await authError { try await state.freshTokens() }
        #expect(state.record.unconfirmedRenewal != nil)
        let error = await authError { try await state.freshTokens() }
        #expect(error?.code == code)
        #expect(error?.message.contains("lost on its way") == true)
    }

    @Test func `a failure before anything was sent is retried after a pause, one after that is not`() async throws {
        var fixture = try Fixture([
            .failure(TransportError(.unreachable, "refused", requestMayHaveBeenSent: false)),
            .failure(TransportError(.connectionLost, "reset", requestMayHaveBeenSent: true)),
        ])
        fixture.options.renewalRetries = 2
        let state = fixture.state()
        let clock = fixture.clock
        clock.advance(by: .seconds(4000))
        let call = Task { await authError { try await state.freshTokens() } }
        // The pause, and not the deadline of the first attempt.
        try await bounded { await clock.sleepers(within: .seconds(1)) }
        clock.advance(by: .seconds(1))
        #expect(try await bounded { await call.value }?.code == .connectionLost)
        #expect(fixture.transport.requests.count == 2)
    }

    @Test func `a stuck transport is given up at the deadline, and its outcome counts as unknown`() async throws {
        let fixture = try Fixture([.gated(gate, then: Fixture.tokens(1)), Fixture.tokens(2)])
        let (state, clock) = (fixture.state(), fixture.clock)
        clock.advance(by: .seconds(4000))
        let call = Task { await authError { try await state.freshTokens() } }
        await gate.arrivals()
        try await bounded { await clock.sleepers(1) }
        clock.advance(by: .seconds(61))
        #expect(try await bounded { await call.value }?.code == .timedOut)
        #expect(state.record.unconfirmedRenewal != nil)
        #expect(try await bounded { try await state.freshTokens().accessToken } == "SECRET-access-2")
    }

    @Test func `without a refresh token an expired state throws a typed error and does not change`() async throws {
        let fixture = try Fixture(refreshToken: nil)
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        let before = state.status
        let ended = await authError { try await state.freshTokens() }
        #expect(ended?.code == .noRefreshToken && ended?.message.hasPrefix("The access token has ended") == true)
        // With a scope of its own the stored token does not count, fresh or not.
        let narrow = await authError { try await state.freshTokens(RenewalParameters(scopes: [.email])) }
        #expect(narrow?.code == .noRefreshToken && narrow?.message.contains("has ended") == false)
        #expect(state.status == before)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `an access token that expires beyond all calendars needs a refresh token, too`() async throws {
        var fixture = try Fixture(refreshToken: nil)
        fixture.record.lastTokenResponse?.accessTokenExpirationDate = Date(timeIntervalSince1970: 1e300)
        let state = fixture.state()
        #expect(await authError { try await state.refresh() }?.code == .noRefreshToken)
    }

    @Test("parameters are part of what is asked for, and their tokens never replace the default ones")
    func parametersHaveTheirOwnTokens() async throws {
        let fixture = try Fixture([Fixture.tokens(1), Fixture.tokens(2)])
        let state = fixture.state()
        let parameters = RenewalParameters(additionalParameters: ["resource": "https://api.example"])
        #expect(try await state.freshTokens(parameters).accessToken == "SECRET-access-1")
        #expect(try await state.freshTokens(parameters).accessToken == "SECRET-access-1")
        #expect(try await state.freshTokens().accessToken == "SECRET-access-0")
        #expect(fixture.transport.requests.count == 1)
        #expect(state.record.refreshToken == "SECRET-refresh-1")
        let sent = fixture.transport.requests.first?.body.map { String(decoding: $0, as: UTF8.self) }
        #expect(sent?.contains("resource=https%3A%2F%2Fapi.example") == true)
    }

    @Test("invalid_grant for other scopes keeps the login")
    func refusedScopes() async throws {
        let fixture = try Fixture([Fixture.error("invalid_grant")])
        let store = InMemoryAuthStateStore()
        let state = fixture.state(store: store)
        let error = await authError { try await state.freshTokens(RenewalParameters(scopes: ["x"])) }
        #expect(error?.code == .invalidTarget && error?.response?.error == "invalid_grant")
        #expect(state.isAuthorized && state.authorizationError == nil)
        #expect(try await state.freshTokens().accessToken == "SECRET-access-0")
        #expect(fixture.transport.requests.count == 1)
        #expect(try await store.record()?.authorizationError == nil)
    }

    @Test(
        "the refusal of a refresh token for other scopes is followed by a renewal of default tokens that are not fresh",
        arguments: [
            #"{"error":"invalid_grant"}"#,
            #"{"error":"invalid_request","error_description":"The refresh token is invalid."}"#,
        ])
    func refusedScopesOfDeadGrant(_ answer: String) async throws {
        let fixture = try Fixture([.json(answer, status: 400), .json(answer, status: 400)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        let error = await authError { try await state.freshTokens(RenewalParameters(scopes: ["x"])) }
        #expect(error?.code == .invalidGrant && state.authorizationError?.code == .invalidGrant)
        #expect(fixture.transport.requests.count == 2)
    }

    @Test("invalid_grant for other scopes is followed by a renewal of default tokens that were issued long ago")
    func refusedScopesBesideOldTokens() async throws {
        var fixture = try Fixture([Fixture.error("invalid_grant"), Fixture.error("invalid_grant")])
        fixture.record.lastTokenResponse?.accessTokenExpirationDate = nil
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(600))
        let error = await authError { try await state.freshTokens(RenewalParameters(scopes: ["x"])) }
        #expect(error?.code == .invalidGrant && state.authorizationError?.code == .invalidGrant)
        #expect(fixture.transport.requests.count == 2)
    }

    @Test("a pause after the refusal of other scopes leads to no renewal of the default tokens")
    func pausedScopesBesideOldTokens() async throws {
        var fixture = try Fixture([Fixture.error("invalid_grant")], then: .json("", status: 500))
        fixture.record.lastTokenResponse?.accessTokenExpirationDate = nil
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(600))
        for _ in 0..<3 {
            let error = await authError { try await state.freshTokens(RenewalParameters(scopes: ["x"])) }
            #expect(error?.code == .invalidTarget && state.isAuthorized)
        }
        #expect(fixture.transport.requests.count == 2)
    }

    @Test("the refusal of other scopes is the error, whatever a renewal of the default tokens meets")
    func refusedScopesBesideTrouble() async throws {
        for (code, requests) in [("invalid_grant", 2), ("invalid_target", 1)] {
            let fixture = try Fixture([Fixture.error(code), Fixture.error("invalid_request")])
            let state = fixture.state()
            fixture.clock.advance(by: .seconds(4000))
            let error = await authError { try await state.freshTokens(RenewalParameters(scopes: ["x"])) }
            #expect(error?.code == .invalidTarget && fixture.transport.requests.count == requests)
        }
    }

    @Test("refresh() asks the provider although it joined a renewal that a pause ended")
    func pauseOfAnotherCaller() async throws {
        var fixture = try Fixture([Fixture.error("invalid_client", status: 401), Fixture.tokens(1)])
        let (log, store, gate) = (EventLog(), FaultyStore(), ScriptedTransport.Gate())
        fixture.options.observer = log
        let state = fixture.state(store: store)
        fixture.clock.advance(by: .seconds(4000))
        #expect(await authError { try await state.freshTokens() }?.code == .invalidClient)
        store.hold(.load, at: gate)
        let paused = Task { await authError { try await state.freshTokens() } }
        await gate.arrivals()
        let refreshed = Task { try await state.refresh().accessToken }
        try await eventually { log.events.contains(.tokensRequested(joined: true)) }
        store.hold(.load, at: nil)
        gate.open()
        #expect(try await bounded { await paused.value }?.code == .invalidClient)
        #expect(try await bounded { try await refreshed.value } == "SECRET-access-1")
    }

    @Test("of more than sixteen refused sets of parameters, the latest are not asked for again")
    func manyPauses() async throws {
        let fixture = try Fixture(then: .json(#"{"message":"Forbidden"}"#, status: 403))
        let state = fixture.state()
        func ask(_ numbers: ClosedRange<Int>) async {
            for number in numbers {
                _ = await authError {
                    try await state.freshTokens(RenewalParameters(scopes: [Scope(rawValue: "\(number)")]))
                }
                fixture.clock.advance(by: .milliseconds(500))
            }
        }
        await ask(1...17)
        await ask(2...17)
        #expect(fixture.transport.requests.count == 17)
    }

    @Test("a refusal without a reason of tokens for a resource pauses those tokens alone")
    func pauseOfOneResource() async throws {
        let fixture = try Fixture([.json(#"{"message":"Forbidden"}"#, status: 403), Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        let parameters = RenewalParameters(resources: ["https://api.example"])
        #expect(await authError { try await state.freshTokens(parameters) }?.code == .refusedWithoutReason)
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
        #expect(await authError { try await state.freshTokens(parameters) }?.retryAfter == .seconds(30))
        #expect(fixture.transport.requests.count == 2)
    }

    @Test("a provider that is busy with tokens for a resource is not asked for the default tokens either")
    func busyWithOneResource() async throws {
        let busy = TransportResponse(status: 429, headers: ["Retry-After": "60"])
        let fixture = try Fixture([.response(busy), Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        _ = await authError { try await state.freshTokens(RenewalParameters(resources: ["https://api.example"])) }
        #expect(await authError { try await state.freshTokens() }?.retryAfter == .seconds(60))
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `two renewals at once with different parameters never spend the same refresh token`() async throws {
        let fixture = try Fixture([Fixture.tokens(1), Fixture.tokens(2), Fixture.tokens(3)])
        let state = fixture.state()
        try await together(3) {
            try await state.freshTokens(RenewalParameters(additionalParameters: ["audience": "\($0)"]))
        }
        #expect(fixture.spent == ["SECRET-refresh-0", "SECRET-refresh-1", "SECRET-refresh-2"])
    }

    @Test("setNeedsTokenRefresh makes the next call renew, once")
    func setNeedsTokenRefresh() async throws {
        let fixture = try Fixture([Fixture.tokens(1)])
        let state = fixture.state()
        try await state.setNeedsTokenRefresh()
        #expect(state.status.needsTokenRefresh)
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
        #expect(!state.status.needsTokenRefresh)
    }
}
