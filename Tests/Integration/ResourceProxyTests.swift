import AuthStateKit
import AuthStateResource
import Foundation
import Testing

extension ProviderTests {
    /// Logins that begin at a resource whose authorization server is FastMCP's proxy before glewlwyd, or glewlwyd itself.
    struct ResourceProxyTests {
        private func run(
            _ settings: [String: String] = [:], _ body: (ResourceServer) async throws -> Void
        ) async throws {
            var settings = settings
            settings["UPSTREAM_ISSUER"] = try Provider.glewlwyd.process.issuer
            try await ResourceServer.run(.fastmcp, settings, body)
        }

        @Test("a login through the proxy, a renewal, and more rights by a challenge that names all scopes")
        func life() async throws {
            try await run(["ACCESS_TOKEN_SECONDS": "4"]) { server in
                let program = try ResourceProgram(server.resource)
                #expect(try await program.add(1, 2) == "3")
                let first = try await program.record
                #expect(first?.scope?.contains("profile") == true && first?.refreshToken != nil)
                #expect(first?.client.provider.issuer?.rawValue == server.issuer && server.issuer.hasSuffix("/"))
                try await Task.sleep(for: .seconds(4))
                #expect(try await program.add(2, 2) == "4")
                let renewed = try await program.record
                #expect(renewed?.refreshToken != first?.refreshToken && renewed?.grantID == first?.grantID)
                _ = try await program.call("write_note", ["text": "hello"])
                #expect(try await program.record?.scope?.contains("email") == true)
            }
        }

        @Test("a revoked grant, which this server reports with status 401, leads to a new login")
        func revoked() async throws {
            try await run { server in
                let program = try ResourceProgram(server.resource)
                #expect(try await program.add(1, 1) == "2")
                let state = try #require(try await program.access.authState())
                let record = state.record
                // Behind the state's back.
                try await program.access.service.revoke(
                    RevocationRequest(record.client, token: try #require(record.refreshToken)))
                await #expect(throws: AuthStateError.self) { try await state.refresh() }
                #expect(state.authorizationError?.code == .invalidGrant)
                #expect(try await program.add(1, 2) == "3")
                #expect(try await program.record?.grantID != record.grantID)
            }
        }

        @Test("a client whose identifier is the URL of its document logs in without a registration")
        func document() async throws {
            try await run(["CLIENT_DOCUMENTS": "1"]) { server in
                let document = try #require(server.clientDocument)
                let program = try ResourceProgram(
                    server.resource, clients: [.document(document), .registering(ResourceProgram.metadata)])
                #expect(try await program.add(1, 2) == "3")
                #expect(try await program.record?.client.id == document)
                #expect(try await server.requests(at: .resource).count(of: "/register") == 0)

                let key = ClientCredential(
                    .file(try #require(server.clientKey)), method: .privateKeyJWT, keyID: "client-1")
                let proving = try ResourceProgram(
                    server.resource, clients: [.document(try #require(server.keyDocument), credential: key)]
                ) {
                    // This server wants the endpoint as the audience of an assertion.
                    $0.tolerances = [.endpointAudience]
                }
                #expect(try await proving.add(1, 2) == "3")
                let sent = try await server.requests(at: .resource).values("client_assertion", at: "/token")
                #expect(sent.last?.count == 1)
            }
        }

        @Test("a proxy that is started again has forgotten the client, which registers and logs in anew")
        func restart() async throws {
            let store = InMemoryAuthStateStore()
            let settings = ["UPSTREAM_ISSUER": try Provider.glewlwyd.process.issuer]
            let (port, old) = try await ResourceServer.run(.fastmcp, settings) { server in
                let program = try ResourceProgram(server.resource, store: store)
                #expect(try await program.add(1, 1) == "2")
                return (server.port, try #require(try await program.record))
            }
            try await ResourceServer.run(.fastmcp, settings, port: port) { server in
                let program = try ResourceProgram(server.resource, store: store)
                #expect(try await program.add(1, 2) == "3")
                let new = try #require(try await program.record)
                #expect(new.client.id != old.client.id && new.grantID != old.grantID)
                #expect(try await server.requests(at: .resource).count(of: "/register") == 1)
            }
        }

        @Test("a resource that names glewlwyd itself, whose metadata are at the last place of three, and then a proxy")
        func direct() async throws {
            let port = try #require((30_000..<32_000).randomElement())
            let resource = "http://127.0.0.1:\(port)/mcp"
            var provider = Provider.glewlwyd
            provider.resources = resource
            let process = try await ProviderProcess.start(provider)
            let store = InMemoryAuthStateStore()
            do {
                try await ResourceServer.run(
                    .fastmcp, ["UPSTREAM_ISSUER": process.issuer, "DIRECT": "1"], port: port
                ) { server in
                    #expect(server.resource == resource)
                    let program = try ResourceProgram(server.resource, store: store)
                    #expect(try await program.add(1, 2) == "3")
                    _ = try await program.access.authState()?.refresh()
                    #expect(try await program.add(2, 2) == "4")
                    #expect(try await program.record?.client.provider.issuer?.rawValue == process.issuer)
                }
                try await ResourceServer.run(.fastmcp, ["UPSTREAM_ISSUER": process.issuer], port: port) { server in
                    let program = try ResourceProgram(server.resource, store: store)
                    #expect(try await program.add(1, 2) == "3")
                    #expect(try await program.record?.client.provider.issuer?.rawValue == server.issuer)
                    #expect(server.issuer != process.issuer)
                }
            } catch {
                try await process.stop()
                throw error
            }
            try await process.stop()
        }
    }
}
