import AuthStateKit
import AuthStateResource
import Foundation
import MCPClient
import Testing

/// Everything that is tried at servers that others wrote, one test after the other.
@Suite(.whereProvidersAreInstalled, .serialized, .timeLimit(.minutes(3)))
struct MCPServerTests {}

/// A connection on which a server of revision 2025-11-25 seems to answer: it does not see the newer revision in a request.
struct EarlierTransport: HTTPTransport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        if request.headers["MCP-Protocol-Version"] == Revision.v2026July.rawValue {
            let known = request.headers.filter { !$0.name.hasPrefix("MCP-") && !$0.name.hasPrefix("Mcp-") }
            request.headers = known.reduce(into: [:]) { $0.append($1.name, $1.value) }
        }
        return try await SystemTransport.shared.send(request)
    }
}

/// A program with an access to a server, and a user at its browser.
struct ConnectingProgram: Sendable {
    private let browser: LoginBrowser

    init() throws { browser = try LoginBrowser() }

    func connect(
        _ server: ResourceServer, over transport: any HTTPTransport = SystemTransport.shared,
        _ revisions: [Revision] = Revision.all
    ) async throws -> MCPClient {
        var metadata = ClientMetadata()
        metadata.clientName = "MCPClient tests"
        let access = try ResourceAccess(
            server.resource, clients: [.registering(metadata)], login: .presenting(browser.userAgent()),
            store: InMemoryAuthStateStore(), service: AuthorizationService(transport: transport))
        return try await MCPClient.connect(to: access, revisions: revisions)
    }

    func use(_ client: MCPClient) async throws {
        #expect(try await client.tools().map(\.name).sorted() == ["add", "whoami", "write_note"])
        #expect(try await client.call("add", ["a": 1, "b": 2]).text == "3")
        #expect(try await client.call("add", ["a": "no number", "b": 2]).isError)
        await client.close()
    }
}

extension MCPServerTests {
    struct SDKTests {
        private let program: ConnectingProgram

        init() throws { program = try ConnectingProgram() }

        @Test("revision 2026-07-28, with and without JSON_RESPONSE", arguments: [[:], ["JSON_RESPONSE": "1"]])
        func newest(_ settings: [String: String]) async throws {
            try await ResourceServer.run(.mcp, settings) { server in
                let client = try await program.connect(server)
                try await program.use(client)
                #expect(await client.revision == .v2026July)
                let seen = try await server.requests(at: .resource).filter { $0.path == "/mcp" && $0.method == "POST" }
                #expect(seen.count > 3 && !seen.contains { $0.body.contains("initialize") })
            }
        }

        @Test("revision 2025-11-25, with event streams and with JSON", arguments: [[:], ["JSON_RESPONSE": "1"]])
        func session(_ settings: [String: String]) async throws {
            try await ResourceServer.run(.mcp, settings) { server in
                let client = try await program.connect(server, over: EarlierTransport())
                #expect(await client.revision == .v2025November)
                try await program.use(client)
                let seen = try await server.requests(at: .resource)
                #expect(seen.last?.method == "DELETE" && seen.last?.status == 200)
                #expect(seen.count { $0.body.contains(#""initialize""#) && $0.status == 200 } == 1)
            }
        }

        @Test("a tool that needs more rights leads to a second login, and the call goes on", arguments: [false, true])
        func stepUp(isStateless: Bool) async throws {
            try await ResourceServer.run(.mcp, ["SCOPE_IN_CHALLENGE": "1"]) { server in
                let client = try await program.connect(server, isStateless ? Revision.all : [.v2025November])
                #expect(try await client.call("write_note", ["text": "hello"]).text == "1")
                #expect(try await client.access.authState()?.record.scope == "mcp notes:write")
            }
        }

        @Test("an unknown tool and a failing server have errors with a type")
        func errors() async throws {
            try await ResourceServer.run(.mcp) { server in
                let client = try await program.connect(server)
                await #expect(throws: MCPError.unknownTool("subtract")) { try await client.call("subtract") }
                try await server.tell(.first, "revoke")
                #expect(try await client.call("add", ["a": 1, "b": 1]).text == "2")
            }
            let access = try ResourceAccess("http://127.0.0.1:1/mcp", clients: [], store: InMemoryAuthStateStore())
            let error = await #expect(throws: AuthStateError.self) { try await MCPClient.connect(to: access) }
            #expect(error?.code == .unreachable)
        }
    }

    /// FastMCP logs the user in at glewlwyd.
    @Suite(.running([.glewlwyd]))
    struct FastMCPTests {
        private let program: ConnectingProgram

        init() throws { program = try ConnectingProgram() }

        @Test("both revisions")
        func both() async throws {
            let issuer = try Provider.glewlwyd.process.issuer
            try await ResourceServer.run(.fastmcp, ["UPSTREAM_ISSUER": issuer]) { server in
                let newest = try await program.connect(server)
                #expect(await newest.revision == .v2026July)
                try await program.use(newest)
                let session = try await program.connect(server, over: EarlierTransport())
                #expect(await session.revision == .v2025November)
                try await program.use(session)
            }
        }
    }
}
