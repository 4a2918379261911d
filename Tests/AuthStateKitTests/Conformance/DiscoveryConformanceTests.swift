import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct DiscoveryConformanceTests {
    private let fixture: ProviderFixture

    init() async throws { fixture = try await ProviderFixture() }

    /// Another service than the fixture's, which has discovered already.
    private func discover(
        _ fixture: ProviderFixture, _ deviation: @escaping OpenIDProvider.Deviations.Edit
    ) async -> AuthStateError? {
        fixture.provider.update { $0.deviations.metadata = deviation }
        return await authError {
            _ = try await AuthorizationService().discoverConfiguration(issuer: fixture.provider.issuer)
        }
    }

    @Test("the discovery document is found and used")
    func rpDiscoveryOpenidConfiguration() async throws {
        let fixture = try await ProviderFixture { $0.issuerPath = "/tenant" }
        #expect(fixture.provider.requestCount(.discovery) == 1)
        let endpoint = try #require(fixture.configuration.authorizationEndpoint)
        #expect(endpoint == fixture.provider.url(of: .authorization))
        #expect(fixture.configuration.tokenEndpoint == fixture.provider.url(of: .token))
        #expect(try await fixture.logIn().isAuthorized)
        await fixture.provider.stop()
    }

    @Test("the keys at jwks_uri verify the ID token; without them the login fails")
    func rpDiscoveryJwksUriKeys() async throws {
        #expect(fixture.configuration.jwksURI == fixture.provider.url(of: .keySet))
        #expect(try await fixture.logIn().isAuthorized)
        #expect(fixture.provider.requestCount(.keySet) == 1)
        fixture.provider.update { $0.deviations.keySet = { $0["keys"] = [] } }
        let stranger = try await AuthState.logIn(.browser(fixture.request(), DirectUserAgent()), at: fixture.place())
        #expect(stranger.isAuthorized, "keys are kept")
        let error = await authError {
            _ = try await AuthState.logIn(
                .browser(fixture.request(), DirectUserAgent()), at: .memory(service: AuthorizationService()))
        }
        #expect(error?.code == .invalidSignature)
        await fixture.provider.stop()
    }

    @Test("a document that names another issuer is refused")
    func rpDiscoveryIssuerNotMatchingConfig() async throws {
        let error = await discover(fixture) { $0["issuer"] = "https://op.example" }
        #expect(error?.code == .issuerMismatch && error?.kind == .configuration && error?.stage == .discovery)
        #expect(error?.expected == fixture.provider.issuer && error?.received == "https://op.example")
        await fixture.provider.stop()
    }

    @Test("an issuer is found by an account")
    func rpDiscoveryWebfingerAcct() async throws {
        let fixture = try await ProviderFixture { $0.issuerPath = "/tenant" }
        let account = "acct:ada@127.0.0.1:\(fixture.provider.port)"
        let found = try await fixture.service.discoverConfiguration(
            identifier: account, allowedIssuers: [fixture.provider.issuer])
        #expect(found == fixture.configuration)
        let request = try #require(fixture.provider.requests(at: .webFinger).last)
        #expect(request.parameters["resource"] == account)
        #expect(request.parameters["rel"] == "http://openid.net/specs/connect/1.0/issuer")
        let unknown = await authError {
            _ = try await fixture.service.discoverIssuer(
                identifier: "acct:bob@127.0.0.1:\(fixture.provider.port)", allowedIssuers: [fixture.provider.issuer])
        }
        #expect(unknown?.code == .discoveryFailed && unknown?.httpStatus == 404)
        await fixture.provider.stop()
    }

    @Test("an issuer is found by a URL, and only when it is allowed")
    func rpDiscoveryWebfingerUrl() async throws {
        let url = "http://127.0.0.1:\(fixture.provider.port)/people/ada"
        let issuer = try await fixture.service.discoverIssuer(
            identifier: url + "#me", allowedIssuers: [fixture.provider.issuer])
        #expect(issuer.rawValue == fixture.provider.issuer)
        #expect(fixture.provider.requests(at: .webFinger).last?.parameters["resource"] == url)
        let error = await authError {
            _ = try await fixture.service.discoverIssuer(identifier: url, allowedIssuers: ["https://op.example"])
        }
        #expect(error?.code == .issuerNotAllowed)
        await fixture.provider.stop()
    }

    @Test("unknown members of a WebFinger answer are ignored")
    func rpDiscoveryWebfingerUnknownMember() async throws {
        fixture.provider.update { configuration in
            configuration.deviations.webFinger = { members in
                members["dummy"] = ["deep": [1, nil]]
                members["links"] = .array([["rel": "self", "extra": 5]] + (members["links"]?.arrayValue ?? []))
            }
        }
        let issuer = try await fixture.service.discoverIssuer(
            identifier: "acct:ada@127.0.0.1:\(fixture.provider.port)", allowedIssuers: [fixture.provider.issuer])
        #expect(issuer.rawValue == fixture.provider.issuer)
        await fixture.provider.stop()
    }

    @Test("a WebFinger answer that leads to an issuer without TLS is refused")
    func rpDiscoveryWebfingerHttpHref() async throws {
        fixture.provider.update { configuration in
            configuration.deviations.webFinger = { members in
                members["links"] = [["rel": "http://openid.net/specs/connect/1.0/issuer", "href": "http://op.example"]]
            }
        }
        let error = await authError {
            _ = try await fixture.service.discoverIssuer(
                identifier: "acct:ada@127.0.0.1:\(fixture.provider.port)", allowedIssuers: ["http://op.example"])
        }
        #expect(error?.code == .insecureURL && error?.kind == .configuration && error?.stage == .discovery)
        await fixture.provider.stop()
    }

    @Test("a client registers itself, logs in with what it got, and renews")
    func rpRegistrationDynamic() async throws {
        var registration = try fixture.registration()
        registration.tokenEndpointAuthMethod = .clientSecretPost
        let client = try await fixture.service.register(registration)
        let state = try await fixture.logIn(fixture.request(client: client.clientID), credential: client.credential)
        #expect(state.isAuthorized)
        try await state.refresh()
        #expect(try await state.userInfo().isBound)
        let last = try #require(fixture.provider.requests(at: .token).last)
        #expect(last.parameters["client_id"] == client.clientID && last.parameters["client_secret"] != nil)
        await fixture.provider.stop()
    }

    @Test("endpoints that only the RFC 8414 document names are found; a foreign document adds nothing")
    func completedDiscovery() async throws {
        let fixture = try await ProviderFixture { $0.issuerPath = "/tenant" }
        let endpoint = JSONValue.string(fixture.provider.url(of: .revocation).absoluteString)
        fixture.provider.update { configuration in
            configuration.deviations.metadata = { $0["revocation_endpoint"] = nil }
            configuration.deviations.authorizationServerMetadata = { $0["revocation_endpoint"] = endpoint }
        }
        let found = try await AuthorizationService().discoverConfiguration(issuer: fixture.provider.issuer)
        #expect(found.revocationEndpoint == fixture.provider.url(of: .revocation))
        fixture.provider.update { configuration in
            configuration.deviations.authorizationServerMetadata = { $0["issuer"] = "http://127.0.0.1/other" }
        }
        let other = try await AuthorizationService().discoverConfiguration(issuer: fixture.provider.issuer)
        #expect(other.revocationEndpoint == nil && other.tokenEndpoint == found.tokenEndpoint)
        fixture.provider.inject(.status(404), at: .discovery)
        fixture.provider.update { $0.deviations.authorizationServerMetadata = nil }
        let alone = try await AuthorizationService().discoverConfiguration(issuer: fixture.provider.issuer)
        #expect(alone.tokenEndpoint == found.tokenEndpoint)
        await fixture.provider.stop()
    }
}
