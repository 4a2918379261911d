import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct PushedLoginTests {
    static let clients: [(String, ClientCredential)] = [
        ("app", .none), ("service", .secret("service-secret", method: .clientSecretBasic)),
        ("service", .secret("service-secret", method: .clientSecretPost)),
        ("service", .secret("service-secret", method: .clientSecretJWT)),
    ]

    @Test("every client pushes where the metadata require it, without being asked", arguments: clients)
    func required(_ client: String, _ credential: ClientCredential) async throws {
        let fixture = try await ProviderFixture { $0.requiresPushedAuthorizationRequests = true }
        var request = fixture.request(client: client)
        request.client.provider.tolerances = [.shortSecret]
        let state = try await fixture.logIn(request, credential: credential)
        #expect(state.isAuthorized && state.record.idToken != nil)
        let browsers = fixture.provider.requests(at: .authorization)
        #expect(browsers.map(\.parameters.names) == [["client_id", "request_uri"]])
        #expect(fixture.provider.requestCount(.pushedAuthorization) == 1)
    }

    @Test("a user logs in on a page, a web server in two requests, with claims, a resource and a form post")
    func everything() async throws {
        let fixture = try await ProviderFixture {
            $0.login = .page
            $0.resources = ["https://api.example"]
        }
        var request = fixture.request([.openID])
        request.isPushed = true
        request.responseMode = .formPost
        request.claims = ClaimsRequest(userInfo: ["email": .essential]).json
        request.resources = ["https://api.example"]
        request.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        let stored = try JSONEncoder().encode(try await fixture.service.begin(request))
        let pending = try JSONDecoder().decode(PendingAuthorization.self, from: stored)
        let session = try await DirectUserAgent(login: ("ada", "lovelace")).prepare(
            redirectURI: request.redirectURI, for: .login)
        let callback = try await session.present(pending.url)
        #expect(callback.formBody != nil)
        let state = try await AuthState.logIn(.callback(callback, of: pending), at: fixture.place())
        #expect(try await state.userInfo().email == "ada@example.com")
        let answer = try await state.performAction(TransportRequest(url: fixture.provider.url(of: .resource)))
        #expect(String(decoding: answer.body, as: UTF8.self).contains("https://api.example"))
    }

    @Test func `only a login that is pushed asks the provider before the browser opens`() async throws {
        let fixture = try await ProviderFixture()
        var request = fixture.request()
        request.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        #expect(try await fixture.service.begin(request).urlExpiresAt == nil)
        #expect(fixture.provider.requestCount(.pushedAuthorization) == 0)
        request.isPushed = true
        #expect(try await fixture.service.begin(request).urlExpiresAt != nil)
        #expect(fixture.provider.requestCount(.pushedAuthorization) == 1)
    }

    @Test("the browser has as long as the reference lasts, the user ten minutes")
    func expiry() async throws {
        let clock = ManualClock()
        let fixture = try await ProviderFixture(clock: clock) { $0.pushedRequestLifetime = .seconds(5) }
        var request = fixture.request()
        request.isPushed = true
        request.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        let begun = clock.wallClock.now
        let pending = try await fixture.service.begin(request)
        #expect(pending.urlExpiresAt == begun.addingTimeInterval(5))
        #expect(pending.expiresAt == begun.addingTimeInterval(600))
        let session = try await DirectUserAgent().prepare(redirectURI: request.redirectURI, for: .login)
        let callback = try await session.present(pending.url)
        clock.advance(by: .seconds(30))
        // The browser arrived in time; the user took long.
        #expect(try await AuthState.logIn(.callback(callback, of: pending), at: fixture.place()).isAuthorized)
        // Used up, and too late besides.
        #expect(await authError { try await session.present(pending.url) } != nil)
    }

    @Test("a reference is for one login, and for the client that pushed")
    func bound() async throws {
        let fixture = try await ProviderFixture()
        var request = fixture.request()
        request.isPushed = true
        request.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        let pushed = try await fixture.service.push(request)
        let session = try await DirectUserAgent().prepare(redirectURI: request.redirectURI, for: .login)
        request.client.id = "service"
        let stolen = try request.url(pushedAs: pushed)
        #expect(await authError { try await session.present(stolen) }?.code == .browserUnavailable)
        request.client.id = "app"
        let url = try request.url(pushedAs: pushed)
        _ = try await session.present(url)
        #expect(await authError { try await session.present(url) }?.code == .browserUnavailable)
    }

    @Test("the answer is still checked against this very request", arguments: ["state", "iss"])
    func answerIsChecked(_ parameter: String) async throws {
        let fixture = try await ProviderFixture { $0.requiresPushedAuthorizationRequests = true }
        let agent = DirectUserAgent(.editing { $0[parameter] = "another" })
        let error = await authError { try await fixture.logIn(agent: agent) }
        #expect(error?.kind == .refused && error?.stage == .authorization)
        #expect(fixture.provider.requestCount(.token) == 0)
    }

    @Test func `a provider without the endpoint is a configuration error`() async throws {
        let fixture = try await ProviderFixture {
            $0.deviations.metadata = { $0["pushed_authorization_request_endpoint"] = nil }
        }
        var request = fixture.request()
        request.isPushed = true
        let pushed = request
        let error = await authError { try await fixture.logIn(pushed) }
        #expect(error?.code == .endpointMissing && error?.kind == .configuration)
    }

    @Test func `an endpoint that is neither https nor beside the issuer gets nothing`() async throws {
        let fixture = try await ProviderFixture()
        var request = fixture.request()
        request.isPushed = true
        request.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        request.client.provider.pushedAuthorizationRequestEndpoint = URL(string: "http://op.example/par")
        let pushed = request
        let error = await authError { try await fixture.service.push(pushed) }
        #expect(error?.code == .insecureURL && error?.stage == .authorization)
    }

    @Test("a refusal by the endpoint ends the login before the browser opens")
    func refused() async throws {
        let fixture = try await ProviderFixture { $0.requiresPushedAuthorizationRequests = true }
        fixture.provider.inject(.oauthError("invalid_request", description: "no"), at: .pushedAuthorization)
        fixture.provider.inject(.status(429, retryAfter: 9), at: .pushedAuthorization)
        fixture.provider.inject(.status(405), at: .pushedAuthorization)
        fixture.provider.inject(.status(413), at: .pushedAuthorization)
        fixture.provider.inject(.reset, at: .pushedAuthorization)
        fixture.provider.inject(.redirect(to: "https://evil.example"), at: .pushedAuthorization)
        let codes: [AuthStateError.Code] = [
            .invalidRequest, .temporarilyUnavailable, .endpointMissing, .invalidRequest, .connectionLost, .redirected,
        ]
        for code in codes {
            let error = await authError { try await fixture.logIn() }
            #expect(error?.code == code && error?.stage == .authorization)
        }
        let error = await authError {
            _ = try await fixture.logIn(fixture.request(client: "service"), credential: .secret("wrong"))
        }
        #expect(error?.code == .invalidClient && error?.stage == .authorization && error?.httpStatus == 401)
        #expect(fixture.provider.requestCount(.authorization) == 0)
    }
}
