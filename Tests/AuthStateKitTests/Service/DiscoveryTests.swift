import AuthStateFoundation
import AuthStateKit
import AuthStateTesting
import Testing

struct DiscoveryTests {
    private static let sparse = ScriptedPages.document([
        "registration_endpoint": nil, "revocation_endpoint": nil, "introspection_endpoint": nil,
    ])

    private func service(_ transport: ScriptedTransport, clock: ManualClock = ManualClock()) -> AuthorizationService {
        return AuthorizationService(transport) { $0.clock = WallClock { clock.date } }
    }

    private func discover(_ pages: [String: JSONValue]) async throws -> ProviderConfiguration {
        try await service(ScriptedPages.transport(pages)).discoverConfiguration(issuer: "https://op.example")
    }

    @Test(
        "endpoints that the first document lacks come from the RFC 8414 document; of what both name, the first's stands"
    )
    func merging() async throws {
        let found = try await discover([
            ScriptedPages.openID: Self.sparse,
            ScriptedPages.oauth: ScriptedPages.document([
                "token_endpoint": "https://op.example/other-token", "jwks_uri": "https://op.example/other-keys",
                "revocation_endpoint_auth_methods_supported": ["none"],
                "token_endpoint_auth_methods_supported": ["none"], "scopes_supported": ["a"],
            ]),
        ])
        #expect(found.revocationEndpoint?.path == "/revoke" && found.introspectionEndpoint?.path == "/introspect")
        #expect(found.registrationEndpoint?.path == "/register")
        #expect(found.tokenEndpoint.path == "/token" && found.jwksURI?.path == "/keys")
        #expect(found.acceptedAuthentication(at: try #require(found.revocationEndpoint)).methods == ["none"])
        #expect(found.metadata?.tokenEndpointAuthMethodsSupported == nil && found.metadata?.scopesSupported == nil)
    }

    @Test func `a document that lacks nothing is read alone`() async throws {
        let transport = ScriptedPages.transport([ScriptedPages.openID: ScriptedPages.document()])
        _ = try await service(transport).discoverConfiguration(issuer: "https://op.example")
        #expect(transport.requests.map(\.url.absoluteString) == [ScriptedPages.openID])
    }

    @Test(
        "a second document that cannot be used fails nothing and adds nothing",
        arguments: [
            .response(TransportResponse(status: 404)), .response(TransportResponse(status: 503)),
            .response(TransportResponse(status: 302, headers: ["Location": "https://evil.example"])),
            .response(TransportResponse(status: 200, body: Data("<html>".utf8))), .json("[]"),
            .failure(TransportError(.timedOut, "Too slow.", requestMayHaveBeenSent: true)),
            .json(#"{"issuer":"https://op.example/","revocation_endpoint":"https://op.example/r"}"#),
            .json(#"{"issuer":"https://op.example","revocation_endpoint":"http://op.example/r"}"#),
            .json(#"{"issuer":"https://op.example","revocation_endpoint":"https://localhost/r"}"#),
            .json(#"{"issuer":"https://op.example","revocation_endpoint":5}"#),
        ] as [ScriptedTransport.Reply])
    func uselessSecond(_ reply: ScriptedTransport.Reply) async throws {
        let first = String(decoding: Self.sparse.serialized(), as: UTF8.self)
        let transport = ScriptedTransport([.json(first), reply])
        let found = try await service(transport).discoverConfiguration(issuer: "https://op.example")
        #expect(found.revocationEndpoint == nil && found.tokenEndpoint.path == "/token")
        #expect(transport.requests.map(\.url.absoluteString) == [ScriptedPages.openID, ScriptedPages.oauth])
    }

    @Test("a second document whose server fails is asked for again after five minutes")
    func lateSecond() async throws {
        let first = ScriptedTransport.Reply.json(String(decoding: Self.sparse.serialized(), as: UTF8.self))
        let second = #"{"issuer":"https://op.example","revocation_endpoint":"https://op.example/r"}"#
        let busy = ScriptedTransport.Reply.response(TransportResponse(status: 503))
        let (transport, clock) = (ScriptedTransport([first, busy, first, .json(second)]), ManualClock())
        let service = service(transport, clock: clock)
        for (seconds, count, isWhole) in [(0, 2, false), (299, 2, false), (2, 4, true), (3000, 4, true)] {
            clock.advance(by: .seconds(seconds))
            let found = try await service.discoverConfiguration(issuer: "https://op.example")
            #expect(transport.requests.count == count && (found.revocationEndpoint != nil) == isWhole)
        }
    }

    @Test("a provider of plain OAuth is found by its RFC 8414 document; openid is then a configuration error")
    func plainOAuth() async throws {
        let found = try await discover([
            ScriptedPages.oauth: [
                "issuer": "https://op.example", "authorization_endpoint": "https://op.example/authorize",
                "token_endpoint": "https://op.example/token", "response_types_supported": ["code"],
            ]
        ])
        #expect(found.jwksURI == nil && found.tokenEndpoint.path == "/token")
        var request = AuthorizationRequest(
            Client(found, id: "client"), scopes: ["api"], redirectURI: try RedirectURI("app.example:/cb"))
        _ = try request.url()
        request.scopes = [.openID]
        #expect(await authError { try request.url() }?.code == .invalidMetadata)
    }

    @Test("with no document at either place, the error speaks of the first; a failing second is a failure")
    func nothing() async throws {
        let error = await authError { try await discover([:]) }
        #expect(error?.code == .discoveryFailed && error?.httpStatus == 404)
        #expect(error?.received?.contains("openid-configuration") == true)
        let busy = ScriptedTransport([
            .response(TransportResponse(status: 404)), .response(TransportResponse(status: 503)),
        ])
        let transient = await authError { try await service(busy).discoverConfiguration(issuer: "https://op.example") }
        #expect(transient?.kind == .transient)
    }

    @Test("a server that fails or is busy is not asked at the other place", arguments: [500, 503, 429])
    func present(_ status: Int) async throws {
        let transport = ScriptedTransport([.response(TransportResponse(status: status))])
        let error = await authError { try await service(transport).discoverConfiguration(issuer: "https://op.example") }
        #expect(error?.stage == .discovery && transport.requests.count == 1)
    }

    private static let document = ScriptedTransport.Reply.json(
        String(decoding: ScriptedPages.document().serialized(), as: UTF8.self))

    @Test(
        "a page, a refusal or a redirect to a login leads to the document at the other place",
        arguments: [200, 302, 401, 403])
    func elsewhere(_ status: Int) async throws {
        let page = TransportResponse(
            status: status, headers: ["Location": "https://login.example/"],
            body: Data("\n<!doctype html><p>Welcome".utf8))
        let transport = ScriptedTransport([.response(page), Self.document])
        let found = try await service(transport).discoverConfiguration(issuer: "https://op.example")
        #expect(found.issuer?.rawValue == "https://op.example" && transport.requests.count == 2)

        let pages = ScriptedTransport([], then: .response(page))
        let error = await authError { try await service(pages).discoverConfiguration(issuer: "https://op.example") }
        #expect(error?.received?.contains("https://op.example/.well-known/openid-configuration") == true)
        #expect(error?.code == .discoveryFailed && error?.hint != nil && pages.requests.count == 2)
    }

    @Test("a redirect within the origin is followed, twice at most", arguments: [301, 302, 307, 308])
    func redirects(_ status: Int) async throws {
        func redirect(_ location: String) -> ScriptedTransport.Reply {
            .response(TransportResponse(status: status, headers: ["Location": location]))
        }
        let two = ScriptedTransport([redirect("/a"), redirect("https://op.example:443/b"), Self.document])
        _ = try await service(two).discoverConfiguration(issuer: "https://op.example")
        #expect(two.requests.map(\.url.path) == ["/.well-known/openid-configuration", "/a", "/b"])
        for place in [
            "https://evil.example/", "http://op.example/", "https://op.example:8443/", "https://u@op.example/",
        ] {
            let other = ScriptedTransport([redirect(place)], then: .response(TransportResponse(status: 404)))
            let error = await authError { try await service(other).discoverConfiguration(issuer: "https://op.example") }
            #expect(error?.code == .discoveryFailed && other.requests.allSatisfy { $0.url.path.contains("well-known") })
        }
        let endless = ScriptedTransport([], then: redirect("/again"))
        let error = await authError { try await service(endless).discoverConfiguration(issuer: "https://op.example") }
        #expect(error?.code == .discoveryFailed && endless.requests.count == 6)
    }

    @Test(
        "concurrent callers share one discovery, and a cancelled caller does not end it for the others",
        .timeLimit(.minutes(5)))
    func sharing() async throws {
        let gate = ScriptedTransport.Gate()
        let page = String(decoding: ScriptedPages.document().serialized(), as: UTF8.self)
        let transport = ScriptedTransport([.gated(gate, then: .json(page))])
        let service = service(transport)
        let first = Task { try await service.discoverConfiguration(issuer: "https://op.example") }
        await gate.arrivals()
        let others = (0..<10).map { _ in
            Task { try await service.discoverConfiguration(issuer: "https://op.example") }
        }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        for other in others { #expect(try await other.value.tokenEndpoint.path == "/token") }
        #expect(transport.requests.count == 1)
    }

    @Test("a configuration is kept for its time whatever Cache-Control says, a failure is not kept")
    func caching() async throws {
        let clock = ManualClock()
        let page = Data(ScriptedPages.document().serialized())
        let transport = ScriptedTransport(
            [.response(TransportResponse(status: 503))],
            then: .response(TransportResponse(status: 200, headers: ["Cache-Control": "no-store"], body: page)))
        let service = service(transport, clock: clock)
        #expect(
            await authError { try await service.discoverConfiguration(issuer: "https://op.example") }?.kind
                == .transient)
        for seconds in [0, 3599, 1] {
            clock.advance(by: .seconds(seconds))
            _ = try await service.discoverConfiguration(issuer: "https://op.example")
        }
        #expect(transport.requests.count == 3)
    }
}
