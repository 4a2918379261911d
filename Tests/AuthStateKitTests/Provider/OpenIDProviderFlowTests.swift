import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct OpenIDProviderFlowTests {
    private let fixture: ProviderFixture

    init() async throws { fixture = try await ProviderFixture() }

    @Test(
        "a login by code is verified with every signature",
        arguments: [SignatureAlgorithm.es256, .rs256, .ps256, .es384, .edDSA])
    func login(algorithm: SignatureAlgorithm) async throws {
        let fixture = try await ProviderFixture { $0.signingAlgorithm = algorithm }
        let state = try await fixture.logIn()
        #expect(state.isAuthorized)
        #expect(state.record.refreshToken != nil)
        #expect(
            state.record.scope == "openid profile" && state.user?.name == "Ada Lovelace" && state.user?.email == nil)
        let userInfo = try await state.userInfo()
        #expect(userInfo.name == "Ada Lovelace")
        #expect(userInfo.email == nil)
        #expect(userInfo.isBound)
        #expect(fixture.provider.requestCount(.token) == 1)
    }

    @Test func `a login works at an issuer with a path, and its document of RFC 8414 is beside it`() async throws {
        let fixture = try await ProviderFixture { $0.issuerPath = "/tenant" }
        #expect(fixture.provider.issuer.hasSuffix("/tenant"))
        #expect(try await fixture.logIn().isAuthorized)
        let issuer = try Issuer(fixture.provider.issuer)
        let url = try #require(issuer.authorizationServerMetadataURL)
        let response = try await fixture.service.transport.send(TransportRequest(url: url))
        #expect(try ProviderMetadata(parsing: response.body).issuer == fixture.provider.issuer)
    }

    @Test(
        "a confidential client logs in by HTTP Basic and by the body",
        arguments: ["client_secret_basic", "client_secret_post"])
    func confidentialClient(method: String) async throws {
        let fixture = try await ProviderFixture { $0.clients = [.init(id: "a b:c", secret: "s%+ &=é")] }
        let credential = ClientCredential.secret("s%+ &=é", method: ClientAuthenticationMethod(rawValue: method))
        #expect(try await fixture.logIn(fixture.request(client: "a b:c"), credential: credential).isAuthorized)
        let error = await authError {
            _ = try await fixture.logIn(fixture.request(client: "a b:c"), credential: .secret("wrong"))
        }
        #expect(error?.code == .invalidClient)
    }

    @Test func `a client gets a token in its own name`() async throws {
        let state = try await AuthState.logIn(
            .clientCredentials(fixture.serviceClient, scopes: ["api"]), at: fixture.place())
        let url = fixture.provider.url(of: .resource)
        let response = try await state.performAction(TransportRequest(url: url))
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self).contains("Hello, service!"))
        #expect(state.record.refreshToken == nil)
    }

    @Test("a client registers itself and logs in")
    func registration() async throws {
        let request = try fixture.registration()
        let client = try await fixture.service.register(request)
        let login = fixture.request(client: client.clientID)
        #expect(try await fixture.logIn(login, credential: client.credential).isAuthorized)
    }

    @Test func `a logout comes back with its state`() async throws {
        let state = try await fixture.logIn()
        let request = EndSessionRequest(
            configuration: fixture.configuration, idTokenHint: state.record.idToken, clientID: "app",
            postLogoutRedirectURI: try RedirectURI("http://127.0.0.1:0/callback"))
        try await fixture.service.endSession(request, presenting: DirectUserAgent())
        #expect(fixture.provider.requestCount(.endSession) == 1)
        let error = await authError {
            try await fixture.service.endSession(request, presenting: DirectUserAgent(.changingState))
        }
        #expect(error?.code == .stateMismatch)
    }

    @Test func `a user who grants less does so on a device too`() async throws {
        let world = try await DeviceLoginTests.World { $0.consentedScopes = ["openid"] }
        let state = try await world.run(pauses: [5]) {
            try await world.logIn(world.request([.openID, "api"])) { response in
                world.provider.decide(userCode: response.userCode, allow: true)
            }
        }
        #expect(state.record.scope == "openid")
        let answer = try await state.performAction(TransportRequest(url: world.provider.url(of: .userInfo)))
        #expect(answer.status == 200)
    }

    @Test func `a hint names a user by name, subject or address`() async throws {
        let grace = OpenIDProvider.User(
            subject: "7", name: "grace", password: "hopper", claims: ["email": "grace@example.com"])
        let fixture = try await ProviderFixture { $0.users.append(grace) }
        for hint in ["grace", "7", "grace@example.com"] {
            var request = fixture.request()
            request.loginHint = hint
            #expect(try await fixture.logIn(request).user?.subject == "7")
        }
    }

    @Test func `a renewed token without openid has no userinfo`() async throws {
        let state = try await fixture.logIn(fixture.request([.openID, "api"]))
        let token = try await state.freshTokens(RenewalParameters(scopes: ["api"])).accessToken
        let request = TransportRequest(
            url: fixture.provider.url(of: .userInfo), headers: ["Authorization": "Bearer \(token)"])
        #expect(try await fixture.service.transport.send(request).status == 403)
    }

    @Test func `a code verifier without a challenge, and a hybrid request without a nonce, are refused`() async throws {
        let fixture = try await ProviderFixture { $0.requiresPKCE = false }
        let redirectURI = "http://127.0.0.1:5000/callback"
        func authorize(_ parameters: Parameters) async throws -> Parameters {
            var all: Parameters = ["client_id": "app", "redirect_uri": redirectURI, "scope": "openid"]
            for name in parameters.names { all[name] = parameters[name] }
            let url = try #require(URL(string: "\(fixture.provider.url(of: .authorization))?\(all.encoded)"))
            let answer = try await fixture.service.transport.send(TransportRequest(url: url))
            let place = try #require(answer.headers["Location"])
            let query = place.split(whereSeparator: { "?#".contains($0) }).last.map(String.init) ?? ""
            return try #require(Parameters(decoding: query))
        }
        let code = try #require(try await authorize(["response_type": "code"])["code"])
        let form: Parameters = [
            "grant_type": "authorization_code", "client_id": "app", "code": code, "redirect_uri": redirectURI,
            "code_verifier": "a-verifier-of-forty-three-characters-at-the-least",
        ]
        let answer = try await fixture.service.transport.send(
            TransportRequest(
                method: .post, url: fixture.provider.url(of: .token),
                headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(form.encoded.utf8)))
        #expect(answer.status == 400 && String(decoding: answer.body, as: UTF8.self).contains("challenge"))
        let hybrid = try await authorize(["response_type": "code id_token"])
        #expect(hybrid["error"] == "invalid_request" && hybrid["code"] == nil)
    }

    @Test func `an update may read the URLs of the endpoints`() async throws {
        let provider = fixture.provider
        provider.update { $0.resources = [provider.url(of: .resource).absoluteString] }
        #expect(provider.configuration.resources == [provider.url(of: .resource).absoluteString])
    }

    @Test func `the login page asks for name and password, and the provider can deny the login`() async throws {
        let fixture = try await ProviderFixture { $0.login = .page }
        let agent = DirectUserAgent(login: ("ada", "lovelace"))
        #expect(try await fixture.logIn(agent: agent).isAuthorized)
        let wrong = await authError { try await fixture.logIn(agent: DirectUserAgent(login: ("ada", "wrong"))) }
        #expect(wrong?.code == .browserUnavailable)
        fixture.provider.update { $0.login = .denied }
        let denied = await authError { try await fixture.logIn() }
        #expect(denied?.code == .accessDenied)
        #expect(denied?.message.contains("Unconfirmed") == false)
    }

    @Test func `a page escapes what it shows of the request, and its policy admits only the way back`() async throws {
        let fixture = try await ProviderFixture { $0.login = .page }
        var request = fixture.request()
        // A quotation mark with a combining accent is one character.
        request.loginHint = "\"><script>alert(1)</script> \"\u{301} onfocus=x"
        request.redirectURI = try RedirectURI("http://127.0.0.1:5000/callback")
        request.resources = ["https://a.example", "https://b.example"]
        fixture.provider.update { $0.resources = ["https://a.example", "https://b.example"] }
        let response = try await fixture.service.transport.send(TransportRequest(url: request.url()))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 200)
        for resource in request.resources { #expect(page.contains("name=\"resource\" value=\"\(resource)\"")) }
        #expect(page.contains("&quot;&gt;&lt;script&gt;"))
        #expect(!page.contains("<script>alert"))
        #expect(page.contains("&quot;\u{301} onfocus=x"))
        let policy = try #require(response.headers["Content-Security-Policy"])
        #expect(policy.contains("default-src 'none'"))
        #expect(policy.contains("form-action 'self' http://127.0.0.1:5000"))
    }

    @Test("a user agent that denies, or that changes the state, fails the login", arguments: [true, false])
    func userAgentBehavior(denies: Bool) async throws {
        let error = await authError {
            _ = try await fixture.logIn(agent: DirectUserAgent(denies ? .denying : .changingState))
        }
        #expect(error?.code == (denies ? .accessDenied : .stateMismatch))
        #expect(fixture.provider.requestCount(.token) == 0)
    }

    @Test func `a user agent that never returns can be cancelled`() async throws {
        let task = Task { try await fixture.logIn(agent: DirectUserAgent(.neverReturning)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("the answer comes in the fragment too, and without iss when that is not promised")
    func fragment() async throws {
        let fixture = try await ProviderFixture { $0.sendsIssuerInAuthorizationResponse = false }
        var request = fixture.request()
        request.responseMode = .fragment
        #expect(try await fixture.logIn(request).isAuthorized)
    }

    @Test func `a form that posts the answer is escaped and submits itself`() async throws {
        var request = fixture.request()
        request.responseMode = .formPost
        request.redirectURI = try RedirectURI("http://127.0.0.1:5000/callback")
        request.state = #"a"b"#
        let response = try await fixture.service.transport.send(TransportRequest(url: request.url()))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(page.contains(#"<form method="post" action="http://127.0.0.1:5000/callback">"#))
        #expect(page.contains(#"name="state" value="a&quot;b""#))
        #expect(response.headers["Content-Security-Policy"]?.contains("form-action http://127.0.0.1:5000") == true)
    }

    @Test func `a token that is revoked is no longer active, and takes its grant along`() async throws {
        let state = try await fixture.logIn()
        let token = try #require(state.record.refreshToken)
        func ask(_ endpoint: OpenIDProvider.Endpoint) async throws -> String {
            let form: Parameters = ["client_id": "app", "token": token]
            let request = TransportRequest(
                method: .post, url: fixture.provider.url(of: endpoint),
                headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(form.encoded.utf8))
            return String(decoding: try await fixture.service.transport.send(request).body, as: UTF8.self)
        }
        #expect(try await ask(.introspection).contains(#""active":true"#))
        #expect(try await ask(.revocation) == "")
        #expect(try await ask(.introspection) == #"{"active":false}"#)
        #expect(await authError { try await state.refresh() }?.code == .invalidGrant)
    }

    @Test func `a provider that is stopped frees its port`() async throws {
        let first = try await OpenIDProvider()
        #expect(await authError { try await OpenIDProvider(port: first.port) }?.code == .portInUse)
        await first.stop()
        #expect(try await OpenIDProvider(port: first.port).issuer == first.issuer)
    }
}
