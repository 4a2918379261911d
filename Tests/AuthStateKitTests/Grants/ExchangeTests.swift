import AuthStateFoundation
import AuthStateOAuth
import AuthStateTesting
import Testing

@testable import AuthStateKit

@Suite(.timeLimit(.minutes(5))) struct ExchangeTests {
    private func fixture(clock: ManualClock? = nil) async throws -> ProviderFixture {
        try await ProviderFixture(clock: clock) { configuration in
            configuration.clients[0].grantTypes.insert(.tokenExchange)
            configuration.resources = ["https://api.example"]
        }
    }

    @Test("each of the state's tokens is exchanged for another one, and the state stays as it is")
    func everyKind() async throws {
        let fixture = try await fixture()
        let state = try await fixture.logIn(fixture.request([.openID, .profile, "api"]))
        let before = state.record
        let subjects: [(AuthState.SubjectToken, TokenTypeIdentifier, String?)] = [
            (.accessToken, .accessToken, before.accessToken), (.idToken, .idToken, before.idToken),
            (.refreshToken, .refreshToken, before.refreshToken),
        ]
        for (subject, type, token) in subjects {
            let issued = try await state.exchangeToken(
                subject, audiences: ["billing", "mail"], resources: ["https://api.example"], scopes: ["api"],
                requestedTokenType: .accessToken)
            #expect(issued.issuedTokenType == .accessToken && issued.scope == "api" && issued.refreshToken == nil)
            let sent = try #require(fixture.provider.requests(at: .token).last).parameters
            #expect(sent["subject_token"] == token && sent["subject_token_type"] == type.rawValue)
            #expect(sent.values("audience") == ["billing", "mail"])
            var call = TransportRequest(url: fixture.provider.url(of: .resource))
            call.headers["Authorization"] = "Bearer \(issued.accessToken)"
            let reply = try await fixture.service.transport.send(call)
            #expect(String(decoding: reply.body, as: UTF8.self).contains("Hello, Ada Lovelace!"))
        }
        #expect(state.record == before)
    }

    @Test("an expired access token is renewed first; the actor's token is sent along")
    func renewedFirst() async throws {
        let clock = ManualClock()
        let fixture = try await fixture(clock: clock)
        let state = try await fixture.logIn(fixture.request(["api"]))
        let first = state.record.accessToken ?? ""
        clock.advance(by: .seconds(3600))
        let actor = try await fixture.logIn(fixture.request(["api"])).freshTokens().accessToken
        _ = try await state.exchangeToken(actor: TypedToken(actor, type: .accessToken))
        let sent = try #require(fixture.provider.requests(at: .token).last).parameters
        #expect(sent["subject_token"] == state.record.accessToken && sent["subject_token"] != first)
        #expect(sent["actor_token"] == actor && sent["actor_token_type"] == TokenTypeIdentifier.accessToken.rawValue)
    }

    @Test func `a token that the state does not have is a clear error, without a request`() async throws {
        let fixture = try await fixture()
        let state = try await fixture.logIn(fixture.request(["api"]))
        let count = fixture.provider.requestCount(.token)
        let error = await authError { try await state.exchangeToken(.idToken) }
        #expect(error?.code == .invalidArgument && error?.stage == .token)
        #expect(fixture.provider.requestCount(.token) == count)
    }

    @Test("the provider's refusals are errors, and change nothing")
    func refusals() async throws {
        let fixture = try await fixture()
        let state = try await fixture.logIn(fixture.request(["api"]))
        let before = state.record
        #expect(
            await authError { try await state.exchangeToken(resources: ["https://else.example"]) }?.code
                == .invalidTarget)
        #expect(await authError { try await state.exchangeToken(scopes: ["profile"]) }?.code == .invalidScope)
        #expect(await authError { try await state.exchangeToken(requestedTokenType: .saml2) }?.code == .invalidRequest)
        let stranger = TypedToken("nobody's", type: .accessToken)
        #expect(await authError { try await state.exchangeToken(actor: stranger) }?.code == .invalidRequest)
        fixture.provider.inject(.oauthError("invalid_grant"), at: .token)
        #expect(await authError { try await state.exchangeToken() }?.code == .invalidGrant)
        fixture.provider.update { $0.deviations.tokenResponse = { $0["issued_token_type"] = nil } }
        #expect(try await state.exchangeToken().issuedTokenType == nil)
        #expect(state.record == before && state.isAuthorized)
    }

    @Test("an issued token need not be an access token")
    func notApplicable() async throws {
        let fixture = try await fixture()
        let state = try await fixture.logIn(fixture.request(["api"]))
        fixture.provider.update {
            $0.deviations.tokenResponse = { members in
                members["token_type"] = "N_A"
                members["issued_token_type"] = .string(TokenTypeIdentifier.saml2.rawValue)
            }
        }
        let issued = try await state.exchangeToken()
        #expect(issued.tokenType == "N_A" && issued.issuedTokenType == .saml2)
    }

    @Test("a state whose tokens are bound to a key proves it, and gets a token that is bound to it too")
    func bound() async throws {
        let fixture = try await BoundFixture {
            $0.clients[0].grantTypes.insert(.tokenExchange)
            $0.dpopNonceUses = 1
        }
        let state = try await fixture.logIn()
        let issued = try await state.exchangeToken(audiences: ["billing"])
        #expect(issued.tokenType == "DPoP" && issued.accessToken != state.record.accessToken)
        let tokens = state.tokens(issued: issued)
        #expect(tokens.isDPoPBound && tokens.accessToken == issued.accessToken)
        var call = fixture.resource
        var answer = TransportResponse(status: 0)
        // The first answer brings the nonce that the resource wants.
        for _ in 0..<2 {
            call.headers = try tokens.authorizationHeaders(method: .get, url: call.url)
            answer = try await fixture.base.service.transport.send(call)
            tokens.recordNonce(from: answer.headers, of: call.url)
        }
        #expect(answer.status == 200)
        // Without the key the token cannot be exchanged.
        let own = try await state.freshTokens().accessToken
        let exchange = TokenExchange(of: TypedToken(own, type: .accessToken))
        var request = TokenRequest(Client(fixture.base.configuration, id: "app"), .tokenExchange(exchange))
        fixture.provider.update { $0.requiresDPoP = false }
        #expect(await authError { try await fixture.base.service.perform(request) }?.code == .invalidRequest)
        request.dpopKey = try .generate(for: fixture.base.configuration)
        #expect(await authError { try await fixture.base.service.perform(request) }?.code == .invalidRequest)
    }

    @Test("a bearer token instead of a bound one is a downgrade, and refused")
    func downgrade() async throws {
        let fixture = try await BoundFixture { $0.clients[0].grantTypes.insert(.tokenExchange) }
        let state = try await fixture.logIn()
        fixture.provider.update { $0.deviations.tokenResponse = { $0["token_type"] = "Bearer" } }
        let before = state.record
        #expect(await authError { try await state.exchangeToken() }?.code == .unsupportedTokenType)
        #expect(state.record == before)
    }

    @Test func `a client without the grant is refused`() async throws {
        let fixture = try await ProviderFixture()
        let state = try await fixture.logIn(fixture.request(["api"]))
        #expect(await authError { try await state.exchangeToken() }?.code == .unauthorizedClient)
    }

    @Test("a client's own token: its resources are kept for renewals, unless a renewal names others")
    func clientCredentialsResources() async throws {
        let fixture = try await ProviderFixture()
        let store = InMemoryAuthStateStore()
        let state = try await AuthState.logIn(
            .clientCredentials(
                fixture.serviceClient, scopes: ["api"], resources: ["https://a.example", "https://b.example"]),
            at: fixture.place(store))
        try await state.refresh()
        try await state.refresh(RenewalParameters(resources: ["https://b.example"]))
        let restored = try await AuthState.restore(at: fixture.place(store), credential: .secret("service-secret"))
        try await restored.refresh()
        let both = ["https://a.example", "https://b.example"]
        #expect(
            fixture.provider.requests(at: .token).map { $0.parameters.values("resource") }
                == [both, both, ["https://b.example"], both])
    }

    @Test("a token that is not for resources, or is bound to a key that is gone, is not sent to a resource")
    func unsendable() async throws {
        let fixture = try await fixture()
        let state = try await fixture.logIn(fixture.request(["api"]))
        for type in ["N_A", "DPoP"] {
            let issued = TokenResponse(accessToken: "SECRET-issued", tokenType: type, issuedAt: Date())
            let tokens = state.tokens(issued: issued)
            let error = await authError {
                try tokens.authorizationHeaders(method: .get, url: fixture.provider.url(of: .resource))
            }
            #expect(error?.code == .unsupportedTokenType && error?.received == type && error?.hint != nil)
            #expect(tokens.scope == nil)
        }
    }
}
