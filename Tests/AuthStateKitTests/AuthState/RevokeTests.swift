import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

@Suite(.timeLimit(.minutes(5))) struct RevokeTests {
    private func fixture(_ replies: [ScriptedTransport.Reply], refreshToken: String? = "SECRET-refresh-0") throws
        -> Fixture
    {
        var fixture = try Fixture(replies, refreshToken: refreshToken)
        fixture.record.client.provider.revocationEndpoint = URL(string: "https://op.example/revoke")
        return fixture
    }

    private func tokens(_ fixture: Fixture) -> [String?] {
        fixture.transport.requests.map {
            $0.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) }?["token"]
        }
    }

    @Test("the refresh token is revoked first; then nothing is left, here and in the store")
    func done() async throws {
        let fixture = try fixture([.json("{}"), .json("{}")])
        let store = InMemoryAuthStateStore()
        let state = fixture.state(store: store)
        try await state.setNeedsTokenRefresh()
        try await state.revoke()
        #expect(tokens(fixture) == ["SECRET-refresh-0", "SECRET-access-0"])
        #expect(!state.isAuthorized && state.record.refreshToken == nil)
        #expect(try await store.login() == nil)
    }

    @Test(
        "the grant stays when the provider does not revoke a token, and the call can be repeated",
        arguments: [
            (ScriptedTransport.Reply.json("", status: 503), AuthStateError.Code.temporarilyUnavailable),
            (.json("", status: 401), .invalidClient),
            (.json(#"{"error":"invalid_client"}"#, status: 401), .invalidClient),
            (.json(#"{"error":"unsupported_token_type"}"#, status: 400), .revocationUnsupported),
            (.failure(TransportError(.unreachable, "No network.", requestMayHaveBeenSent: false)), .unreachable),
        ])
    func refused(_ reply: ScriptedTransport.Reply, _ code: AuthStateError.Code) async throws {
        let fixture = try fixture([reply, .json("{}"), .json("{}")])
        let state = fixture.state()
        let error = await authError { try await state.revoke() }
        #expect(error?.code == code && error?.stage == .logout)
        #expect(state.isAuthorized && state.record.refreshToken == "SECRET-refresh-0")
        #expect(fixture.transport.requests.count == 1)
        try await state.revoke()
        #expect(!state.isAuthorized)
    }

    @Test("an access token that cannot be revoked is a failure only when there is no refresh token to end the grant")
    func accessTokenUnsupported() async throws {
        let refusal = ScriptedTransport.Reply.json(#"{"error":"unsupported_token_type"}"#, status: 400)
        let state = try fixture([.json("{}"), refusal]).state()
        try await state.revoke()
        #expect(!state.isAuthorized)
        let short = try fixture([refusal], refreshToken: nil).state()
        #expect(await authError { try await short.revoke() }?.code == .revocationUnsupported)
        #expect(short.isAuthorized)
    }

    @Test(
        "a public client sends an empty secret to a server that wants the field, once",
        arguments: [
            ("invalid_request", "client_secret: Field required", ClientCredential.none, [nil, ""]),
            ("invalid_request", "token: Field required", .none, [nil]),
            ("invalid_client", "client_secret", .none, [nil]),
            (
                "invalid_request", "client_secret: Field required", .secret("SECRET-own", method: .clientSecretBasic),
                [nil]
            ),
        ] as [(String, String, ClientCredential, [String?])])
    func secretField(
        _ error: String, _ description: String, _ credential: ClientCredential, _ sent: [String?]
    ) async throws {
        let refusal = ScriptedTransport.Reply.json(
            #"{"error":"\#(error)","error_description":"\#(description)"}"#, status: 400)
        for isServed in [true, false] {
            var fixture = try fixture([refusal, isServed ? .json("{}") : refusal])
            fixture.record.client.credential = credential
            let request = RevocationRequest(fixture.record.client, token: "SECRET-refresh-0")
            let failure = await authError { try await fixture.service.revoke(request) }
            #expect((failure == nil) == (isServed && sent.count == 2))
            let secrets = fixture.transport.requests.map {
                $0.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) }?["client_secret"]
            }
            #expect(secrets == sent)
        }
    }

    @Test func `a missing endpoint and a missing login are errors of their own`() async throws {
        let state = try Fixture().state()
        #expect(await authError { try await state.revoke() }?.code == .endpointMissing)
        #expect(state.isAuthorized)
        try await state.clear()
        #expect(await authError { try await state.revoke() }?.code == .notLoggedIn)
    }

    @Test func `a grant is revoked from an error state too`() async throws {
        let fixture = try fixture([.json("{}"), .json("{}")])
        let state = fixture.state()
        try await state.update(authorizationError: AuthStateError(.tokenRejected, stage: .resource, "Refused."))
        try await state.revoke()
        #expect(tokens(fixture).count == 2 && state.authorizationError == nil)
    }

    @Test("a renewal that is asked for meanwhile waits, and fails because no user is logged in: no token is issued")
    func noRenewalMeanwhile() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try fixture([.gated(gate, then: .json("{}")), .json("{}")])
        let state = fixture.state()
        let revocation = Task { try await state.revoke() }
        await gate.arrivals()
        let caller = Task { await authError { try await state.refresh() } }
        try await bounded { while await state.flights.isEmpty { await Task.yield() } }
        gate.open()
        try await bounded { try await revocation.value }
        #expect(try await bounded { await caller.value }?.code == .notLoggedIn)
        #expect(fixture.spent.isEmpty)
    }

    private static let elsewhere = RenewalParameters(additionalParameters: ["audience": "https://api.example"])

    /// A state with a token beside the default one, which expires after a minute.
    private func withSideToken(_ replies: [ScriptedTransport.Reply]) async throws -> (Fixture, AuthState) {
        let fixture = try fixture([Fixture.tokens(1, expiresIn: 60, refresh: false)] + replies)
        let state = fixture.state()
        #expect(try await state.freshTokens(Self.elsewhere).accessToken == "SECRET-access-1")
        return (fixture, state)
    }

    @Test("tokens that were requested with parameters are revoked too, by a logout as well", arguments: [false, true])
    func sideTokens(isLogout: Bool) async throws {
        let (fixture, state) = try await withSideToken([.json(""), .json(""), .json("")])
        if isLogout {
            #expect(await state.logOut(.revoking).revocation == .done)
        } else {
            try await state.revoke()
        }
        #expect(tokens(fixture).dropFirst() == ["SECRET-refresh-0", "SECRET-access-0", "SECRET-access-1"])
        #expect(!state.isAuthorized)
    }

    @Test func `expired tokens are not revoked`() async throws {
        let (fixture, state) = try await withSideToken([.json(""), .json("")])
        fixture.clock.advance(by: .seconds(61))
        try await state.revoke()
        #expect(tokens(fixture).dropFirst() == ["SECRET-refresh-0", "SECRET-access-0"])
    }
}
