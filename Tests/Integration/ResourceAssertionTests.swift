import AuthStateJOSE
import AuthStateKit
import AuthStateResource
import AuthStateTesting
import Foundation
import Testing

extension ProviderTests {
    /// Logins for an API by assertions of another party, at servers of the Model Context Protocol.
    struct ResourceAssertionTests {
        @Test(
            "a workload's token from its platform is the grant; the platform replaces it, and the next process reads it"
        )
        func workload() async throws {
            let folder = try TemporaryFolder()
            let key = try SigningKey.generate(.es256, keyID: "platform-1")
            let keys = JSONValue.object(["keys": .array([key.publicKey.json])])
            let file = try folder.file("keys.json", containing: String(decoding: keys.serialized(), as: UTF8.self))
            let settings = [
                "PLATFORM_ISSUER": "https://platform.example", "PLATFORM_KEYS": file, "ACCESS_TOKEN_SECONDS": "2",
                "SCOPE_IN_CHALLENGE": "1", "REGISTRATION": "0",
            ]
            try await ResourceServer.run(.mcp, settings) { server in
                func mount(_ subject: String, audience: String? = nil) throws {
                    let now = Int64(Date().timeIntervalSince1970)
                    let token = try JSONWebToken.sign(
                        claims: [
                            "iss": "https://platform.example", "sub": .string(subject),
                            "aud": .string(audience ?? server.issuer), "exp": .number(JSONNumber(now + 60)),
                        ], with: key)
                    try folder.file("token", containing: "\(token)\n")
                }
                let store = InMemoryAuthStateStore()
                func program() throws -> ResourceProgram {
                    try ResourceProgram(
                        server.resource,
                        clients: [
                            .known(
                                "post", credential: .secret("s3cret", method: .clientSecretPost), issuer: server.issuer)
                        ],
                        login: .assertion(.assertion(file: folder("token")), issuer: server.issuer), store: store)
                }
                try mount("worker-1")
                let first = try program()
                #expect(try await first.call("whoami").contains("worker-1"))
                _ = try await first.call("write_note", ["text": "hello"])
                #expect(try await first.record?.scope == "mcp notes:write")
                try mount("worker-2")
                try await Task.sleep(for: .seconds(2))
                #expect(try await program().call("whoami").contains("worker-2"))
                try mount("worker-3", audience: "https://other.example")
                try await Task.sleep(for: .seconds(2))
                let error = await #expect(throws: AuthStateError.self) { try await program().add(1, 2) }
                #expect(error?.code == .invalidGrant)
                let seen = try await server.requests(at: .first)
                let grants = seen.values("grant_type", at: "/token")
                #expect(grants.count == 4 && grants.allSatisfy { $0 == [GrantType.jwtBearer.rawValue] })
                #expect(seen.count(of: "/authorize") == 0)
                // The resource itself sees no assertion.
                let assertion = folder.text("token").split(separator: ".").last.map(String.init)?.prefix(40) ?? ""
                #expect(try await server.requests(at: .resource).allSatisfy { !$0.everything.contains(assertion) })
            }
        }

        @Test("a user of an organization gets access without a page, and more rights, while the organization allows it")
        func organization() async throws {
            var configuration = OpenIDProvider.Configuration()
            configuration.clients[0].grantTypes.insert(.tokenExchange)
            let organization = try await OpenIDProvider(configuration: configuration)
            let settings = [
                "UPSTREAM_ISSUER": try Provider.glewlwyd.process.issuer, "ASSERTION_ISSUER": organization.issuer,
                "ACCESS_TOKEN_SECONDS": "2",
            ]
            try await ResourceServer.run(.fastmcp, settings) { server in
                let service = AuthorizationService()
                // The program has registered at the server, and its organization knows it.
                let provider = try await service.discoverAuthorizationServer(
                    Issuer(server.issuer), of: ResourceIdentifier(server.resource))
                var metadata = ResourceProgram.metadata
                metadata.redirectURIs = [try RedirectURI("http://127.0.0.1/callback")]
                let client = try await service.register(RegistrationRequest(provider, metadata)).clientID
                organization.update { $0.identityAssertionClients = [server.issuer: client] }
                let home = try await service.discoverConfiguration(issuer: organization.issuer)
                let identity = try await AuthState.logIn(
                    .browser(
                        AuthorizationRequest(Client(home, id: "app"), scopes: [.openID]), DirectUserAgent()),
                    at: .memory(service: service))

                let program = try ResourceProgram(
                    server.resource, clients: [.known(client, issuer: server.issuer)],
                    login: .identity(of: identity))
                let subject = try #require(organization.configuration.users.first?.subject)
                #expect(try await program.call("whoami").contains(subject))
                #expect(try await program.record?.refreshToken == nil)
                _ = try await program.call("write_note", ["text": "hello"])
                #expect(try await program.record?.scope?.contains("email") == true)
                try await Task.sleep(for: .seconds(2))
                #expect(try await program.add(1, 2) == "3")
                let seen = try await server.requests(at: .resource)
                #expect(seen.values("assertion", at: "/token").count == 3 && seen.count(of: "/authorize") == 0)
                organization.update { $0.identityAssertionClients = [:] }
                try await Task.sleep(for: .seconds(2))
                let error = await #expect(throws: AuthStateError.self) { try await program.add(1, 2) }
                #expect(error?.code == .invalidTarget)
            }
        }
    }
}
