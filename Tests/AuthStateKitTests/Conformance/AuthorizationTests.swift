import AuthStateKit
import AuthStateTesting
import Testing

/// Rows of the OpenID Foundation's relying party tests about the authorization response and the logout.
@Suite(.timeLimit(.minutes(5))) struct AuthorizationTests {
    private let fixture: ProviderFixture

    init() async throws { fixture = try await ProviderFixture() }

    private static let hybrid = AuthorizationRequest.ResponseType.codeIDToken

    @Test("rp-response_type-code: the plain code flow")
    func rpResponseTypeCode() async throws {
        #expect(try await fixture.logIn().isAuthorized)
        let sent = try #require(fixture.provider.requests(at: .authorization).first?.parameters)
        #expect(sent["response_type"] == "code" && sent["response_mode"] == nil)
        #expect(sent["code_challenge_method"] == "S256")
    }

    @Test("rp-response_type-code+id_token: the front channel's ID token and c_hash, then the exchange")
    func rpResponseTypeCodeIDToken() async throws {
        var request = fixture.request()
        request.responseType = Self.hybrid
        let state = try await fixture.logIn(request)
        let response = try #require(state.record.lastAuthorizationResponse)
        let first = try IDToken(parsing: try #require(response.idToken))
        let second = try IDToken(parsing: try #require(state.record.idToken))
        #expect(first.subject == second.subject && first.claims["c_hash"] != nil)
        #expect(fixture.provider.requests(at: .authorization).first?.parameters["response_type"] == "code id_token")
        #expect(fixture.provider.requestCount(.token) == 1)
    }

    @Test("rp-response_type-code+id_token: without its ID token the answer is refused, and the code not spent")
    func rpResponseTypeCodeIDTokenMissing() async throws {
        var request = fixture.request()
        request.responseType = Self.hybrid
        let error = try await fixture.expectRefusal(of: request) {
            $0.deviations.authorizationResponse = { $0["id_token"] = nil }
        }
        #expect(error.code == .malformedResponse && error.message.contains("ID token"))
    }

    @Test("rp-response_mode-form_post: the parameters come in the body", arguments: [.code, Self.hybrid])
    func rpResponseModeFormPost(type: AuthorizationRequest.ResponseType) async throws {
        var request = fixture.request()
        request.responseType = type
        request.responseMode = .formPost
        #expect(try await fixture.logIn(request).isAuthorized)
        #expect(fixture.provider.requests(at: .authorization).first?.parameters["response_mode"] == "form_post")
    }

    @Test("rp-response_mode-form_post-error: the error comes in the body")
    func rpResponseModeFormPostError() async throws {
        var request = fixture.request()
        request.responseMode = .formPost
        let error = try await fixture.expectRefusal(of: request) { $0.login = .denied }
        #expect(error.code == .accessDenied && error.response?.error == "access_denied")
        #expect(error.kind == .reauthenticationRequired)
    }

    @Test func `an answer by form post with another state is refused`() async throws {
        var request = fixture.request()
        request.responseMode = .formPost
        let error = try await fixture.expectRefusal(of: request) {
            $0.deviations.authorizationResponse = { $0["state"] = "another" }
        }
        #expect(error.code == .stateMismatch)
    }

    @Test("rp-nonce-unless-code-flow: the hybrid flow sends a nonce and checks it")
    func rpNonceUnlessCodeFlow() async throws {
        var request = fixture.request()
        request.responseType = Self.hybrid
        #expect(try await fixture.logIn(request).isAuthorized)
        let sent = fixture.provider.requests(at: .authorization).first?.parameters["nonce"]
        #expect(sent == request.nonce && sent?.isEmpty == false)
        for wrong: JSONValue? in ["another", nil] {
            var next = fixture.request()
            next.responseType = Self.hybrid
            let error = try await fixture.expectRefusal(of: next) {
                $0.deviations.idToken = { claims, _ in if claims["c_hash"] != nil { claims["nonce"] = wrong } }
            }
            #expect(error.code == .invalidIDToken && error.message.contains("nonce"))
        }
    }

    @Test("rp-scope-userinfo-claims: the claims that the scope asks for")
    func rpScopeUserinfoClaims() async throws {
        let fixture = try await ProviderFixture { configuration in
            configuration.users[0].claims["address"] = ["country": "UK"]
            configuration.users[0].claims["phone_number"] = "+44 20 7946 0000"
        }
        let expected: [(Scope, String)] = [
            (.profile, "name"), (.email, "email"), (.address, "address"), (.phone, "phone_number"),
        ]
        for (scope, claim) in expected {
            let claims = try await fixture.logIn(fixture.request([.openID, scope])).userInfo().claims
            #expect(claims[claim] != nil, "\(scope)")
            for (_, other) in expected where other != claim { #expect(claims[other] == nil, "\(scope)") }
        }
    }

    @Test("rp-init-logout: the session ends, and the browser comes back with the request's state")
    func rpInitLogout() async throws {
        let state = try await fixture.logIn()
        try await fixture.logOut(state)
        let sent = try #require(fixture.provider.requests(at: .endSession).first?.parameters)
        #expect(sent["id_token_hint"] == state.record.idToken && sent["client_id"] == "app")
        #expect(sent["state"]?.utf8.count == 43 && sent["post_logout_redirect_uri"] != nil)
    }

    @Test("rp-init-logout-no-state: an answer without state is refused")
    func rpInitLogoutNoState() async throws {
        #expect(try await logoutRefusal { $0["state"] = nil }.received == "no state")
    }

    @Test("rp-init-logout-other-state: an answer with another state is refused")
    func rpInitLogoutOtherState() async throws {
        #expect(try await logoutRefusal { $0["state"] = "another" }.received == "a different state")
    }

    private func logoutRefusal(
        _ change: @escaping @Sendable (inout Parameters) -> Void
    ) async throws -> AuthStateError {
        let fixture = try await ProviderFixture()
        let state = try await fixture.logIn()
        let before = state.record
        fixture.provider.update { $0.deviations.endSessionResponse = change }
        let error = try #require(await authError { try await fixture.logOut(state) })
        #expect(error.code == .stateMismatch && error.stage == .logout && error.kind == .refused)
        #expect(state.isAuthorized && state.record == before)
        return error
    }
}

extension ProviderFixture {
    fileprivate func logOut(_ state: AuthState) async throws {
        let request = EndSessionRequest(
            configuration: configuration, idTokenHint: state.record.idToken, clientID: "app",
            postLogoutRedirectURI: try RedirectURI("http://127.0.0.1:0/callback"))
        try await service.endSession(request, presenting: DirectUserAgent())
    }

    /// A login over an earlier one fails in the authorization stage, with a provider that deviates: no code is spent,
    /// what was stored stays as it was, and the earlier login's refresh token still works.
    func expectRefusal(
        of request: AuthorizationRequest, deviating change: (inout OpenIDProvider.Configuration) -> Void
    ) async throws -> AuthStateError {
        let store = InMemoryAuthStateStore()
        func logIn(_ request: AuthorizationRequest) async throws -> AuthState {
            try await AuthState.logIn(
                .browser(request, DirectUserAgent()), at: AuthState.Place(store, service: service))
        }
        let earlier = try await logIn(self.request())
        let (before, spent) = (try await store.load(.default), provider.requestCount(.token))
        let faithful = provider.configuration
        provider.update(change)
        let error = try #require(await authError { try await logIn(request) })
        #expect(error.stage == .authorization)
        #expect(provider.requestCount(.token) == spent)
        #expect(try await store.load(.default) == before)
        provider.update { $0 = faithful }
        try await earlier.refresh()
        return error
    }
}
