import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

struct DPoPNonceTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("the first request learns the nonce, and those that follow use it", arguments: [1, 2, 5])
    func learned(_ uses: Int) async throws {
        let fixture = try await BoundFixture { $0.dpopNonceUses = uses }
        let state = try await fixture.logIn()
        #expect(fixture.provider.requestCount(.token) == 2)
        // Nonces come with successful answers too: no request is repeated again.
        for _ in 0..<4 {
            #expect(try await state.performAction(fixture.resource).status == 200)
            #expect(try await state.userInfo().subject != "")
            try await state.refresh()
        }
        #expect(fixture.provider.requestCount(.token) == 6)
        #expect(fixture.provider.requestCount(.resource) == 4 && fixture.provider.requestCount(.userInfo) == 4)
        #expect(fixture.provider.statistics.refreshTokenReuses == 0)
    }

    @Test("an expired nonce costs one more request, and no renewal")
    func rotated() async throws {
        let fixture = try await BoundFixture { $0.dpopNonceUses = 100 }
        let state = try await fixture.logIn()
        let token = state.record.accessToken
        fixture.provider.rotateDPoPNonce()
        #expect(try await state.performAction(fixture.resource).status == 200)
        #expect(fixture.provider.requestCount(.resource) == 2)
        fixture.provider.rotateDPoPNonce()
        #expect(try await state.userInfo().subject != "")
        #expect(fixture.provider.requestCount(.userInfo) == 2)
        #expect(state.record.accessToken == token && fixture.provider.statistics.refreshRequests == 0)
        fixture.provider.rotateDPoPNonce()
        try await state.refresh()
        #expect(fixture.provider.statistics.refreshRequests == 2)
        #expect(fixture.provider.statistics.refreshTokenReuses == 0)
        #expect(state.record.unconfirmedRenewal == nil)
    }

    @Test func `after a renewal for a refused token the replay may learn a nonce, too`() async throws {
        let fixture = try await BoundFixture { $0.dpopNonceUses = 100 }
        let state = try await fixture.logIn()
        fixture.provider.rejectAccessTokens(challenge: #"DPoP error="invalid_token""#)
        fixture.provider.injectFaults(at: .token) { [provider = fixture.provider] _ in
            provider.rotateDPoPNonce()
            provider.removeFaults()
            return nil
        }
        #expect(try await state.performAction(fixture.resource).status == 200)
        #expect(fixture.provider.requestCount(.resource) == 2)
        #expect(fixture.provider.statistics.refreshRequests == 2)
    }

    @Test("two programs with one state: each learns its own nonces, and both go on with a new token or key")
    func shared() async throws {
        let fixture = try await BoundFixture { $0.dpopNonceUses = 100 }
        let store = InMemoryAuthStateStore()
        let first = try await fixture.logIn(store: store)
        let other = AuthorizationService(
            transport: fixture.base.service.transport, configuration: fixture.base.service.configuration)
        let second = try await AuthState.restore(at: AuthState.Place(store, service: other))
        let token = try await first.refresh().accessToken
        #expect(try await second.performAction(fixture.resource).status == 200)
        // The second one knows no nonce yet.
        #expect(fixture.provider.requestCount(.resource) == 2 && second.record.accessToken == token)
        try await second.refresh()
        #expect(try await first.performAction(fixture.resource).status == 200)
        #expect(fixture.provider.requestCount(.resource) == 3)
        let again = try await fixture.logIn(store: store).record
        #expect(again.dpopKey != first.record.dpopKey)
        for state in [first, second] {
            #expect(try await state.performAction(fixture.resource).status == 200)
            #expect(state.record.dpopKey == again.dpopKey)
        }
        #expect(fixture.provider.statistics.refreshTokenReuses == 0)
    }

    @Test("a server that rejects every nonce gets two requests; the error names the clock, and nothing is lost")
    func never() async throws {
        let nonce: TransportHeaders = ["DPoP-Nonce": "n", "Content-Type": "application/json"]
        let again = ScriptedTransport.Reply.response(
            TransportResponse(status: 400, headers: nonce, body: Data(#"{"error":"use_dpop_nonce"}"#.utf8)))
        var fixture = try Fixture([again, again], then: again)
        fixture.record.dpopKey = try .generate()
        let state = fixture.state()
        let error = await authError { try await state.refresh() }
        #expect(error?.code == .useDPoPNonce && error?.hint?.contains("clock") == true)
        #expect(fixture.transport.requests.count == 2)
        #expect(state.isAuthorized && state.record.unconfirmedRenewal == nil)
        #expect(state.record.refreshToken == "SECRET-refresh-0")
        let proofs = try fixture.transport.requests.map { request in
            try JSONWebToken(parsing: #require(request.headers["DPoP"]))
        }
        #expect(proofs.map { $0.claims["nonce"] } == [nil, "n"])
        #expect(proofs[0].claims["jti"] != proofs[1].claims["jti"])
    }

    @Test("when the answer to the second request is lost, the renewal is unconfirmed")
    func lost() async throws {
        let first = ScriptedTransport.Reply.response(
            TransportResponse(
                status: 400, headers: ["DPoP-Nonce": "n"], body: Data(#"{"error":"use_dpop_nonce"}"#.utf8)))
        var fixture = try Fixture([
            first, .failure(TransportError(.connectionLost, "gone", requestMayHaveBeenSent: true)),
        ])
        fixture.record.dpopKey = try .generate()
        let state = fixture.state()
        #expect(await authError { try await state.refresh() }?.code == .connectionLost)
        #expect(state.record.unconfirmedRenewal != nil)
    }

    @Test("a pushed request proves the key and learns the nonce, which the token request then uses")
    func pushed() async throws {
        let fixture = try await BoundFixture {
            $0.dpopNonceUses = 100
            $0.requiresPushedAuthorizationRequests = true
        }
        let state = try await fixture.logIn()
        #expect(state.record.lastTokenResponse?.tokenType == "DPoP")
        #expect(fixture.provider.requestCount(.pushedAuthorization) == 2 && fixture.provider.requestCount(.token) == 1)
        let form = try #require(fixture.provider.requests(at: .pushedAuthorization).last)
        #expect(form.parameters["dpop_jkt"] == state.record.dpopKey?.thumbprint)
        #expect(form.headers["DPoP"] != nil)
        var request = try fixture.request()
        request.client.provider.tolerances = [.unprovenPush]
        _ = try await fixture.base.service.push(request.placed())
        let named = try #require(fixture.provider.requests(at: .pushedAuthorization).last)
        #expect(named.headers["DPoP"] == nil && named.parameters["dpop_jkt"] == request.dpopKey?.thumbprint)
    }

    @Test func `a client assertion, which serves once, is made anew for the second request`() async throws {
        let fixture = try await BoundFixture {
            $0.dpopNonceUses = 100
            $0.clients.append(OpenIDProvider.Client(id: "signer", secret: "s3cret-s3cret-s3cret-s3cret-s3cret"))
        }
        let state = try await AuthState.logIn(
            .browser(
                fixture.request(client: "signer").with(
                    .secret("s3cret-s3cret-s3cret-s3cret-s3cret", method: .clientSecretJWT)), DirectUserAgent()),
            at: .memory(service: fixture.base.service))
        #expect(state.isAuthorized && fixture.provider.requestCount(.token) == 2)
    }

    @Test(
        "a program's own HTTP client learns from every answer, or hands the nonce over with the rejection",
        arguments: [false, true])
    func ownClient(learns: Bool) async throws {
        let fixture = try await BoundFixture { $0.dpopNonceUses = 100 }
        let state = try await fixture.logIn()
        let (url, transport) = (fixture.provider.url(of: .resource), fixture.base.service.transport)
        fixture.provider.rotateDPoPNonce()
        let token = state.record.accessToken
        let status = try await state.withFreshToken { tokens in
            let headers = try tokens.authorizationHeaders(method: .get, url: url)
            let response = try await transport.send(TransportRequest(url: url, headers: headers))
            if learns { tokens.recordNonce(from: response.headers, of: url) }
            guard response.status != 401 else {
                throw learns
                    ? TokenRejected(challenges: response.headers[values: "WWW-Authenticate"])
                    : TokenRejected(response, of: url)
            }
            return response.status
        }
        #expect(status == 200 && fixture.provider.requestCount(.resource) == 2)
        #expect(state.record.accessToken == token)
        // A program that learns nothing gets an error, and the token is not blamed for it.
        fixture.provider.rotateDPoPNonce()
        let error = await authError {
            try await state.withFreshToken { _ in throw TokenRejected(challenges: [#"DPoP error="use_dpop_nonce""#]) }
        }
        #expect(error?.code == .useDPoPNonce)
        #expect(state.isAuthorized && state.record.accessToken == token)
    }

    @Test("a resource's wish for a nonce means nothing to a bearer token")
    func bearer() async throws {
        let headers: TransportHeaders = ["WWW-Authenticate": #"DPoP error="use_dpop_nonce""#, "DPoP-Nonce": "n"]
        let fixture = try Fixture([.response(TransportResponse(status: 401, headers: headers))])
        let response = try await fixture.state().performAction(TransportRequest(url: url("https://api.example/")))
        #expect(response.status == 401 && fixture.transport.requests.count == 1)
    }

    @Test func `nonces are kept by origin and by key, up to a limit`() throws {
        let nonces = DPoPNonces()
        let keys = [try DPoPKey.generate(), try DPoPKey.generate()]
        nonces.recordNonce(from: ["DPoP-Nonce": "a"], of: try url("https://API.example:443/x"), keys[0])
        #expect(nonces.nonce(at: try url("https://api.example/y?z"), keys[0]) == "a")
        #expect(nonces.nonce(at: try url("https://api.example/y"), keys[1]) == nil)
        #expect(nonces.nonce(at: try url("https://api.example:8443/"), keys[0]) == nil)
        #expect(nonces.nonce(at: try url("http://api.example/"), keys[0]) == nil)
        nonces.recordNonce(from: [:], of: try url("https://api.example/"), keys[0])
        #expect(nonces.nonce(at: try url("https://api.example/"), keys[0]) == "a")
        nonces.recordNonce(from: ["DPoP-Nonce": "b"], of: try url("https://api.example/"), keys[0])
        #expect(nonces.nonce(at: try url("https://api.example/"), keys[0]) == "b")
        for port in 1...5000 {
            nonces.recordNonce(from: ["DPoP-Nonce": "p"], of: try url("https://a:\(port)/"), keys[1])
        }
        #expect(nonces.nonce(at: try url("https://api.example/"), keys[0]) == nil)
        #expect(nonces.nonce(at: try url("https://a:5000/"), keys[1]) == "p")
    }
}

extension DPoPNonces {
    fileprivate func nonce(at url: URL, _ key: DPoPKey) -> String? { nonce(forOrigin: Self.origin(of: url), key) }
}

extension AuthorizationRequest {
    /// The same request with a redirect URI, which a user agent chooses otherwise.
    fileprivate func placed() throws -> AuthorizationRequest {
        var copy = self
        copy.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        return copy
    }
}
