import AuthStateKit
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct OpenIDProviderFaultTests {
    private let fixture: ProviderFixture

    init() async throws { fixture = try await ProviderFixture() }

    /// One fault at the token endpoint, what the client calls it, and whether the provider acted.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fault: OpenIDProvider.Fault
        var code: AuthStateError.Code
        var isProcessed = false
    }

    static let cases = [
        Case(testDescription: "500", fault: .status(500), code: .serverError),
        Case(testDescription: "503", fault: .status(503, retryAfter: 3600), code: .temporarilyUnavailable),
        Case(testDescription: "error", fault: .oauthError("invalid_client", status: 401), code: .invalidClient),
        Case(testDescription: "not JSON", fault: .text("tokens"), code: .malformedResponse),
        Case(testDescription: "a page", fault: .text("<html>"), code: .temporarilyUnavailable),
        Case(testDescription: "redirect", fault: .redirect(to: "http://127.0.0.1:1/"), code: .redirected),
        Case(testDescription: "reset before", fault: .resetBeforeProcessing, code: .connectionLost),
        Case(testDescription: "reset after", fault: .reset, code: .connectionLost, isProcessed: true),
        Case(testDescription: "half a body", fault: .halfBody, code: .connectionLost, isProcessed: true),
    ]

    @Test("each fault fails a renewal in its own way, and the next one goes through", arguments: cases)
    func renewal(_ fault: Case) async throws {
        // The grace stands for a provider that forgives a client whose answer was lost.
        let fixture = try await ProviderFixture { $0.refreshTokenGrace = .seconds(60) }
        let state = try await fixture.logIn()
        fixture.provider.inject(fault.fault, at: .token)
        #expect(await authError { try await state.refresh() }?.code == fault.code)
        #expect(fixture.provider.statistics.accessTokensIssued == (fault.isProcessed ? 2 : 1))
        #expect(state.isAuthorized)
        try await state.refresh()
        #expect(state.isAuthorized)
        #expect(fixture.provider.statistics.refreshRequests == 2)
    }

    @Test("a provider that hangs runs into the client's time limit")
    func hang() async throws {
        fixture.provider.inject(.hang, at: .keySet)
        var request = TransportRequest(url: fixture.provider.url(of: .keySet))
        request.timeout = .milliseconds(200)
        let error = await #expect(throws: TransportError.self) { try await fixture.service.transport.send(request) }
        #expect(error?.code == .timedOut)
        #expect(fixture.provider.requestCount(.keySet) == 1)
    }

    @Test func `an answer is held until the test releases it`() async throws {
        let state = try await fixture.logIn()
        let gate = ScriptedTransport.Gate()
        fixture.provider.inject(.held(gate), at: .token)
        let renewal = Task { try await state.refresh() }
        await gate.arrivals()
        #expect(fixture.provider.statistics.accessTokensIssued == 2)
        gate.open()
        #expect(try await renewal.value.accessToken == state.record.accessToken)
    }

    @Test func `a delayed answer comes all the same`() async throws {
        fixture.provider.inject(.delay(.milliseconds(20)), at: .token)
        #expect(try await fixture.logIn().isAuthorized)
    }

    @Test func `a closure picks the requests that fail`() async throws {
        fixture.provider.injectFaults(at: .token) { request in
            request.parameters["grant_type"] == "refresh_token" ? .oauthError("invalid_grant") : nil
        }
        let state = try await fixture.logIn()
        #expect(await authError { try await state.refresh() }?.code == .invalidGrant)
        fixture.provider.removeFaults()
        try await state.refresh()
        #expect(state.isAuthorized)
    }

    @Test func `faults are used up in order, and requests are remembered`() async throws {
        fixture.provider.inject(.status(418), at: .resource, times: 2)
        fixture.provider.inject(.text("{}"), at: .resource)
        var statuses: [Int] = []
        for _ in 0..<4 {
            let url = fixture.provider.url(of: .resource)
            statuses.append(try await fixture.service.transport.send(TransportRequest(url: url)).status)
        }
        #expect(statuses == [418, 418, 200, 401])
        #expect(fixture.provider.requests(at: .resource).count == 4)
        #expect(fixture.provider.requests(at: .resource).last?.method == "GET")
    }

    @Test(
        "an ID token that deviates in one way is refused", arguments: ["nonce", "iss", "aud", "exp", "sub", "at_hash"])
    func claims(name: String) async throws {
        fixture.provider.update { $0.deviations.idToken = { claims, _ in claims[name] = name == "exp" ? 1 : "other" } }
        // `sub` is a free choice of the provider: another one is no deviation at login.
        #expect(await authError { try await fixture.logIn() }?.code == (name == "sub" ? nil : .invalidIDToken))
    }

    @Test("a bad signature is refused", arguments: [OpenIDProvider.Deviations.Signature.broken, .foreignKey, .missing])
    func signatures(_ signature: OpenIDProvider.Deviations.Signature) async throws {
        let fixture = try await ProviderFixture { $0.deviations.signature = signature }
        #expect(await authError { try await fixture.logIn() }?.kind == .refused)
        fixture.provider.update { $0.deviations = .init() }
        #expect(try await fixture.logIn().isAuthorized)
    }

    @Test func `userinfo about another user is refused`() async throws {
        let fixture = try await ProviderFixture { $0.deviations.userInfo = { $0["sub"] = "mallory" } }
        let state = try await fixture.logIn()
        #expect(await authError { try await state.userInfo() }?.code == .subjectMismatch)
    }

    @Test func `the values that a provider holds print no secret`() async throws {
        _ = try await fixture.logIn(fixture.request(client: "service"), credential: .secret("service-secret"))
        let configuration = fixture.provider.configuration
        let request = try #require(fixture.provider.requests(at: .token).last)
        var text = ""
        dump((configuration.clients, configuration.users, request), to: &text)
        text += "\(configuration.clients) \(configuration.users) \(request)"
        for secret in ["service-secret", "lovelace\"", try #require(request.parameters["code"])] {
            #expect(!text.contains(secret))
        }
    }
}
