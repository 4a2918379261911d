import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClientAssertionLifeTests {
    private let key: SigningKey
    private let clock = ManualClock()
    private let fixture: ProviderFixture

    init() async throws {
        let key = try SigningKey.generate(.es256, keyID: "k1")
        self.key = key
        fixture = try await ProviderFixture(clock: clock) { $0.clients = [.init(id: "client", keys: [key.publicKey])] }
    }

    private func logIn() async throws -> AuthState {
        try await fixture.logIn(fixture.request(client: "client"), credential: .privateKey(key))
    }

    private func assertions() throws -> [JSONWebToken] {
        try fixture.provider.requests(at: .token).map {
            try JSONWebToken(parsing: $0.parameters["client_assertion"] ?? "")
        }
    }

    @Test("a renewal that is tried again has another assertion each time, dated by the clock of that moment")
    func retry() async throws {
        let state = try await logIn()
        clock.advance(by: .seconds(120))
        fixture.provider.inject(.status(503), at: .token)
        _ = try await state.refresh()
        let sent = try assertions()
        #expect(sent.count == 3 && Set(sent.map { $0.claims["jti"]?.stringValue }).count == 3)
        let issued = sent.map { $0.claims["iat"]?.intValue ?? 0 }
        #expect(issued[1] - issued[0] == 120 && issued[2] == issued[1])
        #expect(sent.allSatisfy { $0.claims["exp"]?.intValue == ($0.claims["iat"]?.intValue ?? 0) + 60 })
    }

    @Test func `another key is a matter of configuration and does not cost the grant`() async throws {
        let state = try await logIn()
        var record = state.record
        record.client.credential = .privateKey(try SigningKey.generate(.es256, keyID: "k1"))
        let misled = AuthState(record, service: fixture.service, store: InMemoryAuthStateStore())
        let error = await authError { try await misled.refresh() }
        #expect(error?.code == .invalidClient && error?.kind == .configuration)
        #expect(misled.isAuthorized && misled.record.refreshToken == record.refreshToken)
        let first = record.accessToken
        #expect(try await state.refresh().accessToken != first)
    }

    @Test func `a missing key is reported before the user logs in, and costs no grant later`() async throws {
        let missing = ClientCredential.privateKey(file: "/does/not/exist")
        let error = await authError { try await fixture.logIn(fixture.request(client: "client"), credential: missing) }
        #expect(error?.code == .credentialUnavailable && error?.stage == .authorization)
        #expect(fixture.provider.requestCount(.authorization) == 0)
        let state = try await logIn()
        var record = state.record
        record.client.credential = missing
        let misled = AuthState(record, service: fixture.service, store: InMemoryAuthStateStore())
        let renewal = await authError { try await misled.refresh() }
        #expect(renewal?.code == .credentialUnavailable && renewal?.stage == .refresh)
        #expect(misled.isAuthorized && fixture.provider.requestCount(.token) == 1)
    }

    @Test func `an algorithm that the provider does not list is not used`() async throws {
        fixture.provider.update {
            $0.deviations.metadata = { $0["token_endpoint_auth_signing_alg_values_supported"] = ["RS256"] }
        }
        let service = AuthorizationService(configuration: fixture.service.configuration)
        let configuration = try await service.discoverConfiguration(issuer: fixture.provider.issuer)
        let request = AuthorizationRequest(Client(configuration, id: "client"))
        let error = await authError {
            try await AuthState.logIn(
                .browser(request.with(.privateKey(key)), DirectUserAgent()), at: .memory(service: service))
        }
        #expect(error?.code == .unsupported && error?.expected == "RS256" && error?.received == "ES256")
        #expect(fixture.provider.requestCount(.token) == 0)
    }

    /// A fault in the assertion of a dishonest or a careless client.
    enum Fault: CaseIterable {
        case replay, issuer, subject, audience, audiences, expired, endless, future, anonymous, type, unsigned, twice
    }

    @Test("the provider takes no other assertion", arguments: Fault.allCases)
    func provider(_ fault: Fault) async throws {
        let now = Int64(clock.date.timeIntervalSince1970)
        var claims: [String: JSONValue] = [
            "iss": "client", "sub": "client", "aud": .string(fixture.provider.issuer), "jti": "1",
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 60)),
        ]
        let changes: [Fault: (String, JSONValue?)] = [
            .issuer: ("iss", "app"), .subject: ("sub", "app"),
            .audience: ("aud", .string(fixture.provider.url(of: .token).absoluteString)),
            .audiences: ("aud", ["https://evil.example", .string(fixture.provider.issuer)]),
            .expired: ("exp", .number(JSONNumber(now))), .endless: ("exp", nil),
            .future: ("iat", .number(JSONNumber(now + 3600))), .anonymous: ("jti", nil),
        ]
        if let (name, value) = changes[fault] { claims[name] = value }
        let signer = fault == .unsigned ? try SigningKey.generate(.es256, keyID: "k1") : key
        var form: Parameters = [
            "grant_type": "refresh_token", "refresh_token": "none", "client_id": "client",
            "client_assertion_type": fault == .type ? "urn:other" : ClientAssertion.type,
        ]
        form["client_assertion"] = try JSONWebToken.sign(claims: .object(claims), with: signer)
        if fault == .twice { form["client_secret"] = "secret" }
        var answers = [try await fixture.post(form)]
        if fault == .replay {
            // The assertion serves once; the refresh token is then what is wrong.
            #expect(String(decoding: answers[0].body, as: UTF8.self).contains("invalid_grant"))
            answers.append(try await fixture.post(form))
        }
        let answer = try #require(answers.last)
        #expect(answer.status == (fault == .twice ? 400 : 401))
        let expected = fault == .twice ? "invalid_request" : "invalid_client"
        #expect(String(decoding: answer.body, as: UTF8.self).contains(#""error":"\#(expected)""#))
    }
}
