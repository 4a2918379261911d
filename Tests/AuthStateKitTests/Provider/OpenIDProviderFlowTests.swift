import AuthStateFoundation
import AuthStateKit
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
        let response = try await fixture.service.transport.send(TransportRequest(url: request.url()))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 200)
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
