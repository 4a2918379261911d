import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct OpenIDProviderTokenTests {
    private let fixture: ProviderFixture
    private let clock = ManualClock()

    init() async throws { fixture = try await ProviderFixture() }

    @Test func `a renewal rotates the refresh token`() async throws {
        let state = try await fixture.logIn()
        let before = state.record
        try await state.refresh()
        #expect(state.record.refreshToken != before.refreshToken)
        #expect(state.record.accessToken != before.accessToken)
        #expect(fixture.provider.statistics.refreshRequests == 1)
        #expect(fixture.provider.statistics.refreshTokenReuses == 0)
    }

    @Test func `a refresh token that comes twice ends the whole grant`() async throws {
        let state = try await fixture.logIn()
        let spent = try #require(state.record.refreshToken)
        try await state.refresh()
        let reply = try await fixture.post(["grant_type": "refresh_token", "client_id": "app", "refresh_token": spent])
        #expect(reply.status == 400)
        #expect(fixture.provider.statistics.refreshTokenReuses == 1)
        #expect(await authError { try await state.refresh() }?.code == .invalidGrant)
        #expect(state.authorizationError?.code == .invalidGrant)
    }

    @Test func `within the grace a spent refresh token still works`() async throws {
        let fixture = try await ProviderFixture(clock: clock) { $0.refreshTokenGrace = .seconds(10) }
        let state = try await fixture.logIn()
        let spent = try #require(state.record.refreshToken)
        try await state.refresh()
        let form: Parameters = ["grant_type": "refresh_token", "client_id": "app", "refresh_token": spent]
        #expect(try await fixture.post(form).status == 200)
        clock.advance(by: .seconds(11))
        #expect(try await fixture.post(form).status == 400)
    }

    @Test("a code needs its verifier and its redirect URI, and serves once")
    func codes() async throws {
        var request = fixture.request()
        request.redirectURI = try RedirectURI("http://127.0.0.1:5000/callback")
        func code() async throws -> String {
            let answer = try await fixture.service.transport.send(TransportRequest(url: request.url()))
            let location = try #require(answer.headers["Location"])
            return try AuthorizationResponse(callback: AuthorizationCallback(url: location), for: request).code
        }
        var form: Parameters = [
            "grant_type": "authorization_code", "client_id": "app", "redirect_uri": "http://127.0.0.1:5000/callback",
            "code_verifier": CodeVerifier().rawValue,
        ]
        form["code"] = try await code()
        #expect(try await fixture.post(form).status == 400)
        form["code_verifier"] = request.codeVerifier.rawValue
        form["redirect_uri"] = "http://127.0.0.1:5001/callback"
        #expect(try await fixture.post(form).status == 400)
        form["redirect_uri"] = "http://127.0.0.1:5000/callback"
        let good = try await fixture.post(form)
        #expect(good.status == 200)
        #expect(try await fixture.post(form).status == 400)
        #expect(fixture.provider.statistics.codeReplays == 1)
        // The replay ended the grant.
        let tokens = try JSONValue(parsing: good.body)
        form = ["grant_type": "refresh_token", "client_id": "app"]
        form["refresh_token"] = tokens["refresh_token"]?.stringValue
        #expect(try await fixture.post(form).status == 400)
    }

    @Test func `without PKCE there is no code`() async throws {
        let url = fixture.provider.url(of: .authorization).absoluteString
        let query = "?response_type=code&client_id=app&redirect_uri=http%3A%2F%2F127.0.0.1%3A5000%2Fcallback"
        let answer = try await fixture.service.transport.send(
            TransportRequest(url: try #require(URL(string: url + query))))
        #expect(answer.headers["Location"]?.contains("error=invalid_request") == true)
    }

    @Test func `an unregistered redirect URI is never redirected to`() async throws {
        var request = fixture.request()
        request.redirectURI = try RedirectURI("http://127.0.0.1:5000/elsewhere")
        let answer = try await fixture.service.transport.send(TransportRequest(url: request.url()))
        #expect(answer.status == 400)
        #expect(answer.headers["Location"] == nil)
    }

    @Test func `access tokens expire by the clock, and end by command and by revocation`() async throws {
        let fixture = try await ProviderFixture(clock: clock) { $0.accessTokenLifetime = .seconds(0.5) }
        let tokens = try await fixture.logIn().record
        func status() async throws -> Int {
            var request = TransportRequest(url: fixture.provider.url(of: .resource))
            request.headers["Authorization"] = "Bearer \(tokens.accessToken ?? "")"
            return try await fixture.service.transport.send(request).status
        }
        #expect(tokens.lastTokenResponse?.accessTokenExpirationDate == clock.date.addingTimeInterval(0.5))
        #expect(try await status() == 200)
        clock.advance(by: .milliseconds(600))
        #expect(try await status() == 401)
    }

    @Test("a resource that refuses once costs one renewal; one that keeps refusing ends in an error")
    func rejections() async throws {
        let state = try await fixture.logIn()
        let request = TransportRequest(url: fixture.provider.url(of: .resource))
        fixture.provider.expireAccessTokens()
        #expect(try await state.performAction(request).status == 200)
        #expect(fixture.provider.statistics.refreshRequests == 1)
        fixture.provider.rejectAccessTokens(times: 2)
        #expect(await authError { try await state.performAction(request) }?.code == .tokenRejected)
        #expect(fixture.provider.statistics.refreshRequests == 2)
    }

    @Test("a renewal whose ID token fails its check does not count as one: the next refusal renews again")
    func failedCheckAfterRefusal() async throws {
        let fixture = try await ProviderFixture(clock: clock) { $0.renewalsIssueIDTokens = true }
        let state = try await fixture.logIn()
        let old = try await state.freshTokens().accessToken
        func use() async throws -> String {
            try await state.withFreshToken { tokens in
                if tokens.accessToken == old { throw TokenRejected(challenges: ["Bearer"]) }
                return tokens.accessToken
            }
        }
        fixture.provider.update { $0.deviations.signature = .broken }
        #expect(await authError { try await use() }?.code == .invalidSignature)
        #expect(state.isAuthorized)
        fixture.provider.update { $0.deviations.signature = .good }
        clock.advance(by: .seconds(61))
        #expect(try await use() != old)
        #expect(state.isAuthorized)
        await fixture.provider.stop()
    }

    @Test func `a grant that is revoked ends in invalid_grant, and the state says so`() async throws {
        let state = try await fixture.logIn()
        fixture.provider.revokeGrants()
        #expect(await authError { try await state.userInfo() }?.code == .invalidGrant)
        #expect(!state.isAuthorized)
    }

    @Test("keys rotate, with and without the old ones", arguments: [true, false])
    func keyRotation(keepsOld: Bool) async throws {
        let state = try await fixture.logIn()
        let before = fixture.provider.keyIDs
        try fixture.provider.rotateKeys(keepsOld: keepsOld)
        #expect(fixture.provider.keyIDs.count == (keepsOld ? 2 : 1))
        #expect(fixture.provider.keyIDs.first != before.first)
        try await state.refresh()
        #expect(fixture.provider.requestCount(.keySet) == 2)
        #expect(state.isAuthorized)
    }

    @Test func `a thousand callers who find an expired token share one renewal`() async throws {
        let fixture = try await ProviderFixture(clock: clock)
        let state = try await fixture.logIn()
        clock.advance(by: .seconds(3600))
        let tokens = try await together(1000) { _ in try await state.withFreshToken { $0.accessToken } }
        #expect(Set(tokens).count == 1)
        #expect(fixture.provider.statistics.refreshRequests == 1)
    }

    @Test func `a thousand requests at once are all answered`() async throws {
        let state = try await fixture.logIn()
        let request = TransportRequest(url: fixture.provider.url(of: .resource))
        let statuses = try await together(1000) { _ in try await state.performAction(request).status }
        #expect(statuses == Array(repeating: 200, count: 1000))
        #expect(fixture.provider.requestCount(.resource) == 1000)
    }
}
