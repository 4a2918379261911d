import AuthStateFoundation
import AuthStateTesting
import Testing

@testable import AuthStateKit

extension RenewalTests {
    @Test("a client's own state renews with its credential")
    func clientCredentials() async throws {
        let fixture = try Fixture([Fixture.tokens(1, expiresIn: 10, refresh: false), Fixture.tokens(2)])
        let state = try await AuthState.logIn(
            .clientCredentials(
                Client(fixture.record.client.provider, id: "machine", credential: .secret("SECRET-client")),
                scopes: ["api"]), at: fixture.place())
        fixture.clock.advance(by: .seconds(11))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-2")
        #expect(fixture.transport.requests.allSatisfy { $0.headers["Authorization"]?.hasPrefix("Basic ") == true })
        #expect(state.record.refreshToken == nil)
    }

    @Test func `a user's login over a client's own grant renews with its refresh token, not as the client`() throws {
        var record = try Fixture([]).record
        record.machineGrant = .clientCredentials(AuthState.ClientCredentialsGrant(scopes: ["api"]))
        var request = AuthorizationRequest(record.client)
        request.redirectURI = try RedirectURI("https://app.example/callback")
        let url = try #require(URL(string: "https://app.example/callback?code=SECRET-code&state=\(request.state)"))
        let answer = try AuthorizationResponse(callback: AuthorizationCallback(url: url), for: request)
        let tokens = TokenResponse(accessToken: "SECRET-access", issuedAt: Date(), refreshToken: "SECRET-refresh")
        for next in [
            record.applying(.loggedIn(answer, tokens)), record.applying(.authorized(answer)).applying(.tokens(tokens)),
        ] {
            #expect(next.machineGrant == nil)
            #expect(next.renewalRequest(.none)?.grantType == .refreshToken)
        }
        #expect(record.applying(.loggedIn(nil, tokens)).machineGrant != nil)
    }

    @Test("a client's own state has no ID token to show, whatever a renewal brings")
    func clientCredentialsAreNobody() async throws {
        let answer = #"{"access_token":"SECRET-access-2","token_type":"Bearer","id_token":"SECRET.id.token"}"#
        let fixture = try Fixture([Fixture.tokens(1, expiresIn: 10, refresh: false), .json(answer)])
        var configuration = fixture.record.client.provider
        configuration.issuer = try Issuer("https://op.example")
        configuration.jwksURI = URL(string: "https://op.example/keys")
        let state = try await AuthState.logIn(
            .clientCredentials(Client(configuration, id: "machine", credential: .secret("SECRET-client"))),
            at: fixture.place())
        fixture.clock.advance(by: .seconds(11))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-2")
        #expect(state.record.idToken == nil)
        #expect(fixture.transport.requests.allSatisfy { $0.url.path == "/token" })
    }

    @Test("a client's own state survives a second 401, and its next request tries another token")
    func clientCredentialsRefusedTwice() async throws {
        let refusal = ScriptedTransport.Reply.response(
            TransportResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"]))
        let fixture = try Fixture([
            Fixture.tokens(1, refresh: false), refusal, Fixture.tokens(2, refresh: false), refusal,
            refusal, Fixture.tokens(3, refresh: false), .json("{}"),
        ])
        let state = try await AuthState.logIn(
            .clientCredentials(
                Client(fixture.record.client.provider, id: "machine", credential: .secret("SECRET-client"))),
            at: fixture.place())
        let request = TransportRequest(url: try #require(URL(string: "https://api.example/")))
        #expect(await authError { try await state.performAction(request) }?.code == .tokenRejected)
        #expect(state.isAuthorized && state.authorizationError == nil)
        #expect(try await state.performAction(request).status == 200)
        #expect(fixture.transport.requests.count == 7)
    }

    @Test("a client's own state asks for its resources at each renewal")
    func clientCredentialsResources() async throws {
        let fixture = try Fixture([Fixture.tokens(1, expiresIn: 10, refresh: false), Fixture.tokens(2)])
        let resources = ["https://a.example", "https://b.example"]
        let state = try await AuthState.logIn(
            .clientCredentials(
                Client(fixture.record.client.provider, id: "machine", credential: .secret("SECRET-client")),
                resources: resources), at: fixture.place())
        fixture.clock.advance(by: .seconds(11))
        _ = try await state.freshTokens()
        let asked = fixture.transport.requests.map { request in
            request.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) }?.values("resource") ?? []
        }
        #expect(asked == [resources, resources])
    }

    @Test func `a client that was refused renews at once with the secret of a new registration`() async throws {
        let fixture = try Fixture([Fixture.error("invalid_client", status: 401), Fixture.tokens(1)])
        let state = fixture.state()
        fixture.clock.advance(by: .seconds(4000))
        #expect(await authError { try await state.freshTokens() }?.code == .invalidClient)
        let answer = #"{"client_id":"client","client_secret":"SECRET-new","client_secret_expires_at":0}"#
        let registration = try RegistrationResponse(TransportResponse(status: 201, body: Data(answer.utf8)))
        try await state.commit(.registrationChanged(registration))
        #expect(try await state.freshTokens().accessToken == "SECRET-access-1")
    }

    @Test("a login by a client that is registered here keeps the registration; one by another client does not")
    func registration() async throws {
        let fixture = try Fixture([Fixture.tokens(1, refresh: false), Fixture.tokens(2, refresh: false)])
        let store = InMemoryAuthStateStore()
        let answer = #"{"client_id":"machine","client_secret":"SECRET-client","client_secret_expires_at":0}"#
        let registration = try RegistrationResponse(TransportResponse(status: 201, body: Data(answer.utf8)))
        try await fixture.state(store: store).update(with: registration)
        func logIn(_ clientID: String) async throws -> AuthState {
            try await AuthState.logIn(
                .clientCredentials(
                    Client(fixture.record.client.provider, id: clientID, credential: .secret("SECRET-client"))),
                at: fixture.place(store))
        }
        #expect(try await logIn("machine").record.lastRegistrationResponse == registration)
        let stored = try await AuthState.restore(at: AuthState.Place(store, service: fixture.service))
        #expect(stored.record.lastRegistrationResponse == registration)
        #expect(try await logIn("another").record.lastRegistrationResponse == nil)
    }
}
