import AuthStateFoundation
import AuthStateJOSE
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateResource

@Suite(.timeLimit(.minutes(5))) struct ResourceClientTests {
    private static let document = "https://app.example/client.json"

    private func documents(_ change: (inout ClientMetadata) throws -> Void = { _ in }) throws -> [String: JSONValue] {
        var metadata = ClientMetadata(redirectURIs: [try RedirectURI("http://127.0.0.1/callback")])
        metadata.clientName = "Tests"
        try change(&metadata)
        return [Self.document: try ClientMetadataDocument(url: Self.document, metadata).json]
    }

    @Test("a known client comes before a document, a document before a registration")
    func order() async throws {
        let documents = try documents()
        let world = try await ResourceWorld { $0.clientDocuments = documents }
        let every: [ResourceClient] = [.registering(ResourceWorld.metadata), .document(Self.document), .known("app")]
        for (clients, id) in [(every, "app"), (Array(every.prefix(2)), Self.document)] {
            let access = try world.access(clients: clients, key: AuthStateKey(id))
            #expect(try await access.performAction(world.get()).status == 200)
            #expect(try await access.authState()?.record.client.id == id)
        }
        #expect(world.provider.requestCount(.registration) == 0)
        // Without support the URL is no client identifier.
        let plain = try await ResourceWorld()
        _ = try await plain.access(clients: every.filter { $0 != .known("app") }).performAction(plain.get())
        #expect(plain.provider.requestCount(.registration) == 1)
        #expect(
            !plain.wire.requests.contains {
                "\($0.url)\(String(decoding: $0.body ?? Data(), as: UTF8.self))".contains("app.example")
            })
    }

    @Test func `a client with a document proves itself with its private key`() async throws {
        let key = try SigningKey.generate(.es256)
        let documents = try documents {
            $0.tokenEndpointAuthMethod = .privateKeyJWT
            $0.keys = [key.publicKey]
        }
        let clock = ManualClock()
        let world = try await ResourceWorld(clock: clock) { $0.clientDocuments = documents }
        let credential = ClientCredential(
            .value(String(decoding: key.privateKey.privateJSON.serialized(), as: UTF8.self)), method: .privateKeyJWT)
        let access = try world.access(clients: [.document(Self.document, credential: credential)])
        #expect(try await access.performAction(world.get()).status == 200)
        clock.advance(by: .seconds(7200))
        // The next process has the key from the program, not from the store.
        let next = try world.access(clients: [.document(Self.document, credential: credential)], login: .elsewhere)
        #expect(try await next.performAction(world.get()).status == 200)
        let sent = world.provider.requests(at: .token).map(\.parameters)
        #expect(sent.count == 2 && sent.allSatisfy { $0["client_assertion"] != nil && $0["client_secret"] == nil })
    }

    @Test("without a way to be a client, and with a client of another issuer, no page opens")
    func noWay() async throws {
        let world = try await ResourceWorld { $0.allowsRegistration = false }
        let none = await authError {
            try await world.access(clients: [.registering(ResourceWorld.metadata), .document(Self.document)])
                .performAction(world.get())
        }
        #expect(none?.code == .endpointMissing && none?.stage == .registration)
        let foreign = await authError {
            try await world.access(clients: [.known("app", issuer: "https://other.example")]).performAction(world.get())
        }
        #expect(foreign?.code == .clientIssuerMismatch && foreign?.expected == "https://other.example")
        #expect(world.logins == 0)
    }

    @Test func `an assertion for one server is not sent to whatever server a resource names`() async throws {
        let documents = try documents()
        let world = try await ResourceWorld { $0.clientDocuments = documents }
        let client = ResourceClient.document(Self.document, credential: .assertion(file: "/svid"))
        let error = await authError { try await world.access(clients: [client]).performAction(world.get()) }
        #expect(error?.code == .invalidArgument && error?.expected == "the issuer beside the assertion")
        #expect(world.logins == 0 && world.provider.requestCount(.token) == 0)
    }

    @Test("the program logs in in its own name, without a page")
    func clientCredentials() async throws {
        let world = try await ResourceWorld {
            $0.protectedResource.scopes = ["api"]
            $0.protectedResource.requiresAudience = true
        }
        let service = ResourceClient.known("service", credential: .secret("service-secret"))
        let access = try world.access(clients: [service], login: .clientCredentials)
        #expect(try await access.performAction(world.get()).status == 200)
        #expect(world.logins == 0 && world.provider.requests(at: .token).first?.parameters["scope"] == "api")
        let publicly = try world.access(clients: [.known("app")], login: .clientCredentials, key: "other")
        #expect(await authError { try await publicly.performAction(world.get()) }?.code == .unsupported)
    }

    @Test(
        "the registration asks for an authentication that the server has",
        arguments: [
            (["none", "client_secret_basic"], "none"),
            (["client_secret_basic", "client_secret_post"], "client_secret_post"),
            (["client_secret_basic"], "client_secret_basic"), (nil, "client_secret_basic"),
        ] as [([String]?, String)])
    func authentication(_ offered: [String]?, _ expected: String) async throws {
        let world = try await ResourceWorld { configuration in
            configuration.deviations.metadata = { members in
                members["token_endpoint_auth_methods_supported"] = offered.map { .array($0.map { .string($0) }) }
            }
        }
        #expect(try await world.access().performAction(world.get()).status == 200)
        let body = try JSONValue(
            parsing: [UInt8](try #require(world.wire.requests.first { $0.url.path == "/register" }?.body)))
        #expect(body["token_endpoint_auth_method"]?.stringValue == expected)
        #expect(body["application_type"] == "native" && body["grant_types"] == ["authorization_code", "refresh_token"])
        // What the login asks for, so that the server grants it.
        #expect(body["scope"] == "offline_access")
    }

    @Test("a web client registers as one, with the redirect URI of its page")
    func web() async throws {
        let world = try await ResourceWorld()
        let access = try world.access(login: .elsewhere)
        _ = try await access.beginLogin(redirectURI: try RedirectURI("https://app.example/callback"))
        let body = try JSONValue(
            parsing: [UInt8](try #require(world.wire.requests.first { $0.url.path == "/register" }?.body)))
        #expect(body["application_type"] == "web" && body["redirect_uris"] == ["https://app.example/callback"])
        // The second user of the same program finds the registration.
        _ = try await access.beginLogin(redirectURI: try RedirectURI("https://app.example/callback"))
        #expect(world.provider.requestCount(.registration) == 1)
    }

    @Test func `the users of a server share its registration, each with a login of their own`() async throws {
        let world = try await ResourceWorld { $0.users.append(.bob) }
        let pool = try ResourceAccessPool(
            world.url.absoluteString, clients: [.registering(ResourceWorld.metadata)], store: world.store,
            service: world.service, limit: 2)
        for user in ["ada", "bob", "carl"] as [AuthStateKey] { try await world.logIn(await pool.access(for: user)) }
        #expect(world.provider.requestCount(.registration) == 1 && world.logins == 3)
        #expect(try await pool.logOut("carl", .local).removal == .done)
        #expect(try await pool.access(for: "carl").authState()?.isAuthorized != true)
        // The first one is no longer in memory, and is read again.
        let tokens = try await pool.access(for: "ada").withFreshToken { $0.accessToken }
        #expect(try await pool.access(for: "bob").withFreshToken { $0.accessToken } != tokens)
    }

    @Test("a credential belongs to a client at a server, a token for registrations to a server")
    func bound() async throws {
        let world = try await ResourceWorld()
        let provider = try await world.service.discoverConfiguration(issuer: world.provider.issuer)
        let client = Client(provider, id: "app")
        let secret = ClientCredential.secret("s")
        func credential(
            _ way: ResourceClient, isRegistered: Bool = false, bound: [String: String] = [:]
        ) -> ClientCredential? { [way].credential(of: client, isRegistered: isRegistered, bound: bound) }
        #expect(credential(.known("app", credential: secret, issuer: "https://a.example")) == nil)
        #expect(credential(.known("app", credential: secret, issuer: world.provider.issuer)) == secret)
        #expect(credential(.known("other", credential: secret)) == nil)
        #expect(credential(.known("app", credential: secret)) == secret)
        #expect(credential(.known("app", credential: secret), bound: ["app": "https://a.example"]) == nil)
        // A server chooses the identifier of a client that registers there.
        #expect(credential(.known("app", credential: secret), isRegistered: true) == nil)
        #expect(credential(.document("app", credential: secret), isRegistered: true) == nil)
        let registering = ResourceClient.registering(ResourceWorld.metadata, credential: secret)
        #expect(credential(registering, isRegistered: true) == secret && credential(registering) == nil)

        func code(_ issuer: String?) async throws -> AuthStateError.Code? {
            let way = ResourceClient.registering(
                ResourceWorld.metadata, initialAccessToken: "SECRET-token", issuer: issuer)
            return await authError { try await world.access(clients: [way]).performAction(world.get()) }?.code
        }
        #expect(try await code(nil) == .invalidArgument)
        #expect(try await code("https://a.example") == .clientIssuerMismatch)
        #expect(!world.wire.requests.contains { $0.headers["Authorization"]?.contains("SECRET") == true })
        #expect(try await code(world.provider.issuer) == nil)
        #expect(world.wire.requests.contains { $0.headers["Authorization"] == "Bearer SECRET-token" })
    }

    @Test func `another account is refused too where the client had to register anew`() async throws {
        let clock = ManualClock()
        let end = clock.wallClock.now.addingTimeInterval(100).timeIntervalSince1970
        let world = try await ResourceWorld(clock: clock) { configuration in
            configuration.users.append(.bob)
            configuration.deviations.metadata = {
                $0["token_endpoint_auth_methods_supported"] = ["client_secret_basic"]
            }
            configuration.deviations.registration = { $0["client_secret_expires_at"] = .number(JSONNumber(Int64(end))) }
        }
        let access = try world.access {
            $0.scopes = [.openID]
            $0.prepare = { if world.logins > 0 { $0.loginHint = "bob" } }
        }
        _ = try await access.performAction(world.get())
        clock.advance(by: .seconds(200))
        world.provider.revokeGrants()
        #expect(await authError { try await access.performAction(world.get()) }?.code == .accountChanged)
        #expect(world.provider.requestCount(.registration) == 2)
    }

    @Test("a client that the server has forgotten registers anew")
    func forgottenClient() async throws {
        let world = try await ResourceWorld {
            $0.deviations.metadata = { $0["token_endpoint_auth_methods_supported"] = ["client_secret_basic"] }
        }
        let access = try world.access()
        _ = try await access.performAction(world.get())
        let first = try #require(try await access.authState()?.record.lastRegistrationResponse)
        try await forget(first, world)
        world.provider.revokeGrants()
        _ = try await access.performAction(world.get())
        let second = try #require(try await access.authState()?.record.lastRegistrationResponse)
        #expect(second.clientID != first.clientID && world.provider.requestCount(.registration) == 2)
    }

    /// Deletes a registration at the server, whose client does not hear of it.
    private func forget(_ registration: RegistrationResponse, _ world: ResourceWorld) async throws {
        let url = try #require(registration.registrationClientURI)
        let token = try #require(registration.registrationAccessToken)
        let request = TransportRequest(method: .delete, url: url, headers: ["Authorization": "Bearer \(token)"])
        #expect(try await SystemTransport.shared.send(request).status == 204)
    }

    @Test("a login of a web page whose client was forgotten fails, and the next one registers anew")
    func forgottenOnTheWeb() async throws {
        let world = try await ResourceWorld {
            $0.deviations.metadata = { $0["token_endpoint_auth_methods_supported"] = ["client_secret_basic"] }
        }
        let access = try world.access(login: .elsewhere)
        let page = try RedirectURI("http://127.0.0.1:50001/callback")
        let first = try await access.beginLogin(redirectURI: page)
        let session = try await DirectUserAgent().prepare(redirectURI: page, for: .login)
        let callback = try await session.present(first.url)
        let issuer = try #require(first.client.provider.issuer)
        try await forget(try #require(try await access.registration(at: issuer, nil, isKnown: true)), world)
        #expect(await authError { try await access.completeLogin(first, callback: callback) }?.code == .invalidClient)
        let second = try await access.beginLogin(redirectURI: page)
        #expect(second.client.id != first.client.id)
        try await access.completeLogin(second, callback: try await session.present(second.url))
        #expect(try await access.performAction(world.get()).status == 200)
    }

    @Test func `a server without an authentication for such a client gets no registration`() async throws {
        let world = try await ResourceWorld { configuration in
            configuration.deviations.metadata = { $0["token_endpoint_auth_methods_supported"] = ["tls_client_auth"] }
        }
        let error = await authError { try await world.access().performAction(world.get()) }
        #expect(error?.code == .unsupported && error?.stage == .registration)
        #expect(world.provider.requestCount(.registration) == 0)
    }

    @Test func `a registration whose secret has expired is made anew`() async throws {
        let clock = ManualClock()
        let end = clock.wallClock.now.addingTimeInterval(100).timeIntervalSince1970
        let world = try await ResourceWorld(clock: clock) { configuration in
            configuration.deviations.metadata = {
                $0["token_endpoint_auth_methods_supported"] = ["client_secret_basic"]
            }
            configuration.deviations.registration = { $0["client_secret_expires_at"] = .number(JSONNumber(Int64(end))) }
        }
        let access = try world.access()
        _ = try await access.performAction(world.get())
        clock.advance(by: .seconds(200))
        world.provider.revokeGrants()
        _ = try await access.performAction(world.get())
        #expect(world.provider.requestCount(.registration) == 2)
    }
}
