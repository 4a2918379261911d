import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct SignedLoginTests {
    /// The way in which the object reaches the provider.
    enum Way: CaseIterable { case byValue, pushed }

    private let key: SigningKey
    private let credential: ClientCredential

    init() throws {
        key = try SigningKey.generate(.es256, keyID: "k1")
        credential = .privateKey(key)
    }

    private func fixture(
        _ change: (inout OpenIDProvider.Configuration) -> Void = { _ in }
    ) async throws -> ProviderFixture {
        try await ProviderFixture { configuration in
            configuration.clients = [.app, .service, .init(id: "keyed", keys: [key.publicKey])]
            change(&configuration)
        }
    }

    @Test("a key signs, and claims, resources and max_age arrive", arguments: Way.allCases)
    func key(_ way: Way) async throws {
        let fixture = try await fixture {
            $0.requiresSignedRequestObjects = true
            $0.requiresPushedAuthorizationRequests = way == .pushed
        }
        var request = fixture.request([.openID], client: "keyed")
        request.claims = ClaimsRequest(idToken: ["email": .essential]).json
        request.maxAge = 3600
        request.resources = ["https://a.example", "https://b.example"]
        request.responseMode = .formPost
        let state = try await fixture.logIn(request, credential: credential)
        let idToken = try IDToken(parsing: try #require(state.record.idToken))
        #expect(idToken.claims["email"]?.stringValue == "ada@example.com")
        let answer = try await state.performAction(TransportRequest(url: fixture.provider.url(of: .resource)))
        #expect(String(decoding: answer.body, as: UTF8.self).contains(#"["https://a.example","https://b.example"]"#))
        let browser = try #require(fixture.provider.requests(at: .authorization).first)
        let names = way == .pushed ? ["client_id", "request_uri"] : ["client_id", "response_type", "scope", "request"]
        #expect(browser.parameters.names == names)
        let pushed = fixture.provider.requests(at: .pushedAuthorization).first?.parameters
        #expect(pushed?["request"] != nil || way == .byValue)
        #expect(pushed?["redirect_uri"] == nil && pushed?["state"] == nil)
    }

    @Test("the client's secret signs with HS256", arguments: Way.allCases)
    func secret(_ way: Way) async throws {
        let fixture = try await fixture()
        var request = fixture.request(client: "service")
        request.signingCredential = .secret("service-secret")
        request.client.provider.tolerances = [.shortSecret]
        request.isPushed = way == .pushed
        #expect(try await fixture.logIn(request, credential: .secret("service-secret")).isAuthorized)
    }

    @Test func `a public client may have a key for its requests alone`() async throws {
        let fixture = try await ProviderFixture { configuration in
            configuration.clients = [
                .init(id: "app", keys: [key.publicKey], authenticationMethod: ClientAuthenticationMethod.none)
            ]
        }
        var request = fixture.request()
        request.signingCredential = credential
        #expect(try await fixture.logIn(request).isAuthorized)
    }

    @Test func `a web server begins in one step, without a request to the provider`() async throws {
        let fixture = try await fixture()
        var request = fixture.request(client: "keyed")
        request.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        request.signingCredential = credential
        let pending = try await fixture.service.begin(request)
        // As long as the signed request is valid.
        #expect(abs((pending.urlExpiresAt ?? .distantPast).timeIntervalSinceNow - 300) < 60)
        let session = try await DirectUserAgent().prepare(redirectURI: request.redirectURI, for: .login)
        let state = try await AuthState.logIn(
            .callback(session.present(pending.url), of: pending.with(credential)), at: fixture.place()
        )
        #expect(state.isAuthorized)
    }

    @Test("rp-request_uri-sig: a reference of the client's own leads to the signed request")
    func rpRequestUriSig() async throws {
        let fixture = try await fixture { $0.requiresSignedRequestObjects = true }
        var request = fixture.request(client: "keyed")
        request.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        let object = try fixture.service.requestObject(for: request.with(credential))
        fixture.provider.update { $0.publishedRequestObjects["https://app.example/r.jwt"] = object }
        request.requestURI = "https://app.example/r.jwt"
        let state = try await fixture.logIn(request, credential: credential)
        #expect(state.isAuthorized && state.record.idToken != nil)
        let sent = fixture.provider.requests(at: .authorization).first?.parameters
        #expect(sent?.names == ["client_id", "response_type", "scope", "request_uri"])
    }

    @Test func `without a key a required signature is refused before anything is sent`() async throws {
        let fixture = try await fixture { $0.requiresSignedRequestObjects = true }
        let error = await authError { try await fixture.logIn() }
        #expect(error?.code == .credentialUnavailable && error?.stage == .authorization)
        #expect(fixture.provider.requestCount(.authorization) == 0)
    }

    @Test("rp-request_uri-unsigned: only algorithms that the provider accepts are used, and nothing goes unsigned")
    func rpRequestUriUnsigned() async throws {
        for accepted: [JSONValue] in [["RS256", "PS256"], ["none"]] {
            let fixture = try await fixture {
                $0.deviations.metadata = { $0["request_object_signing_alg_values_supported"] = .array(accepted) }
            }
            var request = fixture.request(client: "keyed")
            request.signingCredential = credential
            let signed = request
            let error = await authError { try await fixture.logIn(signed, credential: credential) }
            #expect(error?.code == .unsupported && error?.message.contains("requests") == true)
            #expect(fixture.provider.requestCount(.authorization) == 0)
        }
    }

    @Test func `another key than the client's is refused, with the provider's own word for it`() async throws {
        let fixture = try await fixture()
        var request = fixture.request(client: "keyed")
        request.signingCredential = .privateKey(try SigningKey.generate(.es256, keyID: "k1"))
        request.isPushed = true
        let signed = request
        let error = await authError { try await fixture.logIn(signed, credential: credential) }
        #expect(error?.code == .invalidRequestObject && error?.kind == .configuration)
    }

    @Test("a late object, one for another provider, and one that was changed are refused by the provider")
    func providerChecks() async throws {
        let clock = ManualClock()
        let fixture = try await ProviderFixture(clock: clock) { configuration in
            configuration.clients = [.init(id: "keyed", keys: [key.publicKey])]
        }
        var request = fixture.request(client: "keyed")
        request.redirectURI = try RedirectURI("http://127.0.0.1:49152/callback")
        let good = try fixture.service.requestObject(for: request.with(credential))
        request.client.provider.issuer = try Issuer("https://other.example")
        let foreign = try fixture.service.requestObject(for: request.with(credential))
        let session = try await DirectUserAgent().prepare(redirectURI: request.redirectURI, for: .login)
        _ = try await session.present(request.url(signedAs: good))
        for bad in [foreign, good + "A", String(good.dropLast(4))] {
            let url = try request.url(signedAs: bad)
            #expect(await authError { try await session.present(url) } != nil)
        }
        request.scopes = [.openID, .email]
        let widened = try request.url(signedAs: good)
        #expect(await authError { try await session.present(widened) } != nil)
        request.scopes = [.openID, .profile]
        clock.advance(by: .seconds(301))
        let late = try request.url(signedAs: good)
        #expect(await authError { try await session.present(late) } != nil)
    }
}
