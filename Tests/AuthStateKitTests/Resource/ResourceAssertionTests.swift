import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateTesting
import Testing

@testable import AuthStateKit
@testable import AuthStateResource

@Suite(.timeLimit(.minutes(5))) struct ResourceAssertionTests {
    private let clock = ManualClock()
    private let world: World

    init() async throws { world = try await World() }

    /// A resource whose server trusts a platform, and a user's organization.
    private struct World {
        let resource: ResourceWorld
        let organization: ProviderFixture
        let key: SigningKey

        init(clock: ManualClock? = nil) async throws {
            let key = try SigningKey.generate(.es256, keyID: "platform-1")
            resource = try await ResourceWorld(clock: clock) { configuration in
                configuration.assertionIssuers = [.init("https://platform.example", keys: [key.publicKey])]
                configuration.clients[1].grantTypes.insert(.jwtBearer)
                configuration.protectedResource.scopes = ["api"]
                configuration.protectedResource.requiresAudience = true
                configuration.allowsRegistration = false
                // A server for programs alone has no page, and no code challenges.
                configuration.deviations.metadata = { $0["code_challenge_methods_supported"] = nil }
            }
            let audience = resource.provider.issuer
            organization = try await ProviderFixture(clock: clock) { configuration in
                configuration.clients[0].grantTypes.insert(.tokenExchange)
                configuration.identityAssertionClients = [audience: "service"]
            }
            self.key = key
            let published = try await organization.service.transport.send(
                TransportRequest(url: organization.provider.url(of: .keySet)))
            let keys = try JSONWebKeySet(parsing: [UInt8](published.body)).keys
            let issuer = organization.provider.issuer
            resource.provider.update { $0.assertionIssuers.append(.init(issuer, keys: keys)) }
        }

        func token(_ request: CredentialRequest) throws -> String {
            try JSONWebToken.sign(
                claims: [
                    "iss": "https://platform.example", "sub": "system:worker", "aud": .string(request.audience),
                    "exp": .number(
                        JSONNumber(Int64(resource.service.configuration.clock.now.timeIntervalSince1970) + 600)),
                ], with: key)
        }

        var sent: [Parameters] { resource.provider.requests(at: .token).map(\.parameters) }
        /// The client of the program at the resource's server.
        let client = ResourceClient.known("service", credential: .secret("service-secret"))
    }

    @Test("a workload needs neither a client nor a page: its platform's token is enough")
    func workload() async throws {
        let world = try await World(clock: clock)
        let access = try world.resource.access(clients: [], login: .assertion(world.token))
        #expect(try await access.performAction(world.resource.get()).status == 200)
        clock.advance(by: .seconds(7200))
        #expect(try await access.performAction(world.resource.get()).status == 200)
        // The next process continues, with the function that it was given.
        clock.advance(by: .seconds(7200))
        let next = try world.resource.access(clients: [], login: .assertion(world.token))
        #expect(try await next.performAction(world.resource.get()).status == 200)
        #expect(world.sent.count == 3 && world.resource.logins == 0)
        for request in world.sent {
            #expect(request["grant_type"] == GrantType.jwtBearer.rawValue && request["client_id"] == nil)
            #expect(request["scope"] == "api" && request.values("resource") == [world.resource.url.absoluteString])
        }
    }

    @Test func `more rights are asked for by another assertion, a bounded number of times`() async throws {
        let access = try world.resource.access(clients: [], login: .assertion(world.token)) { $0.scopes = ["api"] }
        _ = try await access.performAction(world.resource.get())
        world.resource.provider.update { $0.protectedResource.scopes = ["api", "profile"] }
        #expect(try await access.performAction(world.resource.get()).status == 200)
        #expect(world.sent.compactMap { $0["scope"] } == ["api", "api profile"])
    }

    @Test("a program signs with its client's key, renews, and asks for more rights, in the next process too")
    func serviceAccount() async throws {
        let world = try await World(clock: clock)
        func access(_ subject: String? = "system:worker") throws -> ResourceAccess {
            let client = ResourceClient.known("https://platform.example", credential: .privateKey(world.key))
            return try world.resource.access(clients: [client], login: .signedAssertion(subject: subject))
        }
        #expect(try await access().performAction(world.resource.get()).status == 200)
        clock.advance(by: .seconds(7200))
        #expect(try await access().performAction(world.resource.get()).status == 200)
        world.resource.provider.update { $0.protectedResource.scopes = ["api", "profile"] }
        #expect(try await access().performAction(world.resource.get()).status == 200)
        #expect(world.sent.compactMap { $0["scope"] } == ["api", "api", "api profile"])
        for request in world.sent {
            let assertion = try JSONWebToken(parsing: try #require(request["assertion"]))
            #expect(assertion.claims["sub"] == "system:worker")
            #expect(assertion.claims["aud"]?.stringValue == world.resource.provider.issuer)
            #expect(request["client_assertion"] == nil && request.values("resource").count == 1)
        }
        // A secret signs nothing.
        let secret = try world.resource.access(clients: [world.client], login: .signedAssertion(), key: "secret")
        #expect(await authError { try await secret.logIn() }?.code == .unsupported)
    }

    @Test("an assertion for one server reaches no other one that the resource names")
    func otherServer() async throws {
        let assertion = ClientCredential.assertion(world.token)
        let access = try world.resource.access(clients: [], login: .assertion(assertion, issuer: "https://op.example"))
        let error = await authError { try await access.performAction(world.resource.get()) }
        #expect(error?.code == .clientIssuerMismatch && error?.expected == "https://op.example")
        #expect(error?.received == world.resource.provider.issuer && world.sent.isEmpty)
        let own = try world.resource.access(
            clients: [], login: .assertion(assertion, issuer: world.resource.provider.issuer))
        #expect(try await own.performAction(world.resource.get()).status == 200)
    }

    @Test("a refused assertion is one request, and no other grant is tried")
    func refused() async throws {
        let access = try world.resource.access(
            clients: [],
            login: .assertion { _ in
                try world.token(CredentialRequest(audience: "https://other.example", clientID: ""))
            })
        let error = await authError { try await access.performAction(world.resource.get()) }
        #expect(error?.code == .invalidGrant && world.sent.count == 1 && world.resource.logins == 0)
    }

    @Test("a refused renewal is one request; a resource that names another server by then gets a login there")
    func refusedRenewal() async throws {
        let (world, other) = (try await World(clock: clock), try await World(clock: clock))
        let wrong = Lock(false)
        let access = try world.resource.access(
            clients: [],
            login: .assertion { request in
                if wrong.withLock({ $0 }) {
                    return try world.token(CredentialRequest(audience: "https://other.example", clientID: ""))
                }
                let isOther = request.audience == other.resource.provider.issuer
                return try (isOther ? other : world).token(request)
            })
        #expect(try await access.performAction(world.resource.get()).status == 200)
        clock.advance(by: .seconds(7200))
        wrong.withLock { $0 = true }
        let error = await authError { try await access.performAction(world.resource.get()) }
        #expect(error?.code == .invalidGrant && world.sent.count == 2)
        wrong.withLock { $0 = false }
        world.resource.provider.inject(.status(503), at: .token)
        world.resource.provider.inject(.status(503), at: .token)
        world.resource.provider.inject(.status(503), at: .token)
        let issuer = other.resource.provider.issuer
        world.resource.provider.update {
            $0.protectedResource.authorizationServers = [issuer]
            $0.protectedResource.requiresAudience = false
            $0.protectedResource.acceptsForeignToken = { _ in true }
        }
        #expect(try await access.performAction(world.resource.get()).status == 200)
        #expect(try await access.authState()?.record.client.provider.issuer?.rawValue == issuer)
        #expect(other.sent.count == 1)
    }

    @Test func `a client that would register itself is refused before anything is sent`() async throws {
        world.resource.provider.update { $0.allowsRegistration = true }
        let access = try world.resource.access(login: .assertion(world.token))
        #expect(await authError { try await access.performAction(world.resource.get()) }?.code == .unsupported)
        #expect(world.sent.isEmpty && world.resource.provider.requestCount(.registration) == 0)
    }

    @Test("the user of an organization's login gets access without a page, again and again")
    func organization() async throws {
        let world = try await World(clock: clock)
        let identity = try await world.organization.logIn(world.organization.request([.openID, .offlineAccess]))
        let access = try world.resource.access(clients: [world.client], login: .identity(of: identity))
        let reply = try await access.performAction(world.resource.get())
        #expect(String(decoding: reply.body, as: UTF8.self).contains("Hello, Ada Lovelace!"))
        let exchange = try #require(world.organization.provider.requests(at: .token).last).parameters
        #expect(exchange["requested_token_type"] == "urn:ietf:params:oauth:token-type:id-jag")
        #expect(exchange["subject_token_type"] == TokenTypeIdentifier.idToken.rawValue)
        #expect(exchange["audience"] == world.resource.provider.issuer && exchange["scope"] == "api")
        #expect(exchange.values("resource") == [world.resource.url.absoluteString])
        // The ID token has expired by then: the organization's login is renewed for another one.
        clock.advance(by: .seconds(7200))
        #expect(try await access.performAction(world.resource.get()).status == 200)
        #expect(Set(world.sent.compactMap { $0["assertion"] }).count == 2)
        #expect(world.sent.allSatisfy { $0["client_secret"] == nil })
        // The organization withdraws its consent.
        clock.advance(by: .seconds(7200))
        world.organization.provider.update { $0.identityAssertionClients = [:] }
        #expect(await authError { try await access.performAction(world.resource.get()) }?.code == .invalidTarget)
    }

    @Test("what the organization issues in place of an assertion is shown to no other server")
    func otherToken() async throws {
        let identity = try await world.organization.logIn()
        world.organization.provider.update {
            $0.deviations.tokenResponse = {
                $0["issued_token_type"] = .string(TokenTypeIdentifier.accessToken.rawValue)
            }
        }
        let access = try world.resource.access(clients: [world.client], login: .identity(of: identity))
        let error = await authError { try await access.performAction(world.resource.get()) }
        #expect(error?.code == .unsupportedTokenType && world.sent.isEmpty)
    }

    @Test("a user who logs out while the assertion is fetched stays logged out")
    func logout() async throws {
        let world = try await World(clock: clock)
        let state = Lock<AuthState?>(nil)
        let access = try world.resource.access(
            clients: [],
            login: .assertion { request in
                if let state = state.withLock({ $0 }) { _ = await state.logOut(.everywhere()) }
                return try world.token(request)
            })
        _ = try await access.performAction(world.resource.get())
        let found = try await access.authState()
        state.withLock { $0 = found }
        #expect(await authError { try await access.logIn() }?.code == .notLoggedIn && found?.isAuthorized == false)
        state.withLock { $0 = nil }
        // The tokens of that login were given back.
        #expect(world.resource.provider.requestCount(.revocation) == 2)
    }
}
