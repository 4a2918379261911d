import AuthStateKit
import AuthStateTesting
import MCPClient
import Testing

struct RevisionTests {
    /// A server of 2025-11-25 that answers what it does not know in a way, and opens sessions.
    private func earlier(
        _ refusal: @escaping @Sendable (ScriptedServer.Message) -> TransportResponse, version: JSONValue = "2025-11-25"
    ) -> ScriptedServer {
        ScriptedServer { message in
            switch message.method {
            case "initialize":
                var answer = TransportResponse.result(["protocolVersion": version], to: message)
                answer.headers.append("mcp-session-id", "s1")
                return answer
            case "notifications/initialized": return TransportResponse(status: 202)
            case "tools/list": return .result(["tools": [["name": "add"]]], to: message)
            case "DELETE": return TransportResponse(status: 200)
            default: return refusal(message)
            }
        }
    }

    @Test("a request of 2026-07-28 says in its headers what its body says")
    func stateless() async throws {
        let server = ScriptedServer { .result(["tools": [["name": "größe"]], "content": []], to: $0) }
        let client = try await server.connect()
        _ = try await client.call("größe", ["a": 1])
        #expect(await client.revision == .v2026July)
        let messages = server.messages
        #expect(messages.map(\.method) == ["server/discover", "tools/list", "tools/call"])
        for message in messages {
            #expect(message.headers["MCP-Protocol-Version"] == "2026-07-28")
            #expect(message.headers["Mcp-Method"] == message.method && message.headers["Mcp-Session-Id"] == nil)
            #expect(message.params["_meta"]?["io.modelcontextprotocol/protocolVersion"] == "2026-07-28")
            #expect(message.params["_meta"]?["io.modelcontextprotocol/clientInfo"]?["name"] == "mcp-client")
            #expect(message.params["_meta"]?["io.modelcontextprotocol/clientCapabilities"] == [:])
        }
        #expect(messages.last?.headers["Mcp-Name"] == "=?base64?Z3LDtsOfZQ==?=")
        #expect(Set(messages.map(\.id)).count == 3)
    }

    @Test("extensions are among the capabilities, of each request and of the handshake")
    func extensions() async throws {
        let name = "io.modelcontextprotocol/oauth-client-credentials"
        let newest = ScriptedServer { .result([:], to: $0) }
        _ = try await newest.connect(extensions: [name])
        let meta = newest.messages.first?.params["_meta"]
        #expect(meta?["io.modelcontextprotocol/clientCapabilities"]?["extensions"]?[name] == [:])
        let earlier = earlier { _ in TransportResponse(status: 400) }
        _ = try await earlier.connect(extensions: [name])
        let handshake = earlier.messages.first { $0.method == "initialize" }
        #expect(handshake?.params["capabilities"]?["extensions"]?[name] == [:])
    }

    @Test("a server that does not know the newest revision gets a handshake, and its session from then on")
    func fallback() async throws {
        let refusals: [@Sendable (ScriptedServer.Message) -> TransportResponse] = [
            { _ in TransportResponse(status: 400) }, { _ in TransportResponse(status: 404) },
            { _ in .error(.invalidRequest, status: 400, id: "server-error") },
            { .error(.methodNotFound, id: $0.id) },
            { .error(.unsupportedProtocolVersion, status: 400, id: $0.id, data: ["supported": ["2025-11-25"]]) },
        ]
        for refusal in refusals {
            let server = earlier(refusal)
            let client = try await server.connect()
            #expect(try await client.tools().map(\.name) == ["add"])
            await client.close()
            #expect(await client.revision == .v2025November)
            let messages = server.messages
            #expect(
                messages.map(\.method)
                    == ["server/discover", "initialize", "notifications/initialized", "tools/list", "DELETE"])
            #expect(messages[1].headers["MCP-Protocol-Version"] == nil && messages[1].headers["Mcp-Session-Id"] == nil)
            #expect(messages[1].params["protocolVersion"] == "2025-11-25")
            for message in messages[2...] {
                #expect(message.headers["MCP-Protocol-Version"] == "2025-11-25")
                #expect(message.headers["Mcp-Session-Id"] == "s1" && message.headers["Mcp-Method"] == nil)
            }
        }
    }

    @Test("an older revision that the server answers with is spoken, an unknown one is not")
    func negotiation() async throws {
        let older = try await earlier({ _ in TransportResponse(status: 400) }, version: "2025-06-18").connect()
        #expect(await older.revision == .v2025June)
        let unknown = earlier({ _ in TransportResponse(status: 400) }, version: "2024-11-05")
        await #expect(throws: MCPError.noCommonRevision(server: ["2024-11-05"])) { try await unknown.connect() }
    }

    @Test("errors that a server of the newest revision makes do not lead to a handshake")
    func noFallback() async throws {
        let mismatch = ScriptedServer { .error(.headerMismatch, status: 400, id: $0.id) }
        await #expect(throws: JSONRPCError(.headerMismatch, "no")) { try await mismatch.connect() }
        let later = ScriptedServer {
            .error(.unsupportedProtocolVersion, status: 400, id: $0.id, data: ["supported": ["2027-01-01"]])
        }
        await #expect(throws: MCPError.noCommonRevision(server: ["2027-01-01"])) { try await later.connect() }
        let failing = ScriptedServer { _ in TransportResponse(status: 503) }
        await #expect(throws: MCPError.status(503)) { try await failing.connect() }
        let alone = earlier { _ in TransportResponse(status: 400) }
        await #expect(throws: MCPError.status(400)) { try await alone.connect([.v2026July]) }
        for server in [mismatch, later, failing, alone] { #expect(server.messages.count == 1) }
    }

    @Test("a server that speaks another revision of two is asked in it, and the search ends")
    func twoStateless() async throws {
        let next = Revision(rawValue: "2027-01-01")
        let server = ScriptedServer { message in
            let wanted: JSONValue =
                message.headers["MCP-Protocol-Version"] == "2027-01-01" ? "2026-07-28" : "2027-01-01"
            return .error(.unsupportedProtocolVersion, status: 400, id: message.id, data: ["supported": [wanted]])
        }
        await #expect(throws: MCPError.noCommonRevision(server: ["2027-01-01"])) {
            try await server.connect([next, .v2026July])
        }
        #expect(server.messages.map { $0.headers["MCP-Protocol-Version"] } == ["2027-01-01", "2026-07-28"])
    }

    @Test("a session that the server ends is opened again, once", arguments: [404, 400])
    func session(status: Int) async throws {
        let server = ScriptedServer { message in
            switch message.method {
            case "initialize":
                var answer = TransportResponse.result(["protocolVersion": "2025-11-25"], to: message)
                answer.headers.append("Mcp-Session-Id", "session \(message.id.intValue ?? 0)")
                return answer
            case "notifications/initialized": return TransportResponse(status: 202)
            default:
                // The first session is over; one tool never finds any.
                let isOver = message.headers["Mcp-Session-Id"] == "session 1" || message.params["name"] == "never"
                return isOver
                    ? .error(.invalidRequest, "Session not found", status: status, id: message.id)
                    : .result(["tools": [["name": "add"], ["name": "never"]], "content": []], to: message)
            }
        }
        let client = try await server.connect([.v2025November])
        #expect(try await client.call("add").content.isEmpty)
        #expect(server.messages.count { $0.method == "initialize" } == 2)
        await #expect(throws: MCPError.sessionEnded) { try await client.call("never") }
        #expect(server.messages.count { $0.method == "initialize" } == 3)
    }

    @Test("requests that find the session ended at the same time share the one that is opened in its place")
    func sharedSession() async throws {
        let gate = ScriptedTransport.Gate()
        let server = ScriptedServer { message in
            switch message.method {
            case "initialize":
                // Long enough for each request to learn that the session has ended.
                if message.id != 1 { try await Task.sleep(for: .milliseconds(200)) }
                var answer = TransportResponse.result(["protocolVersion": "2025-11-25"], to: message)
                answer.headers.append("Mcp-Session-Id", "session \(message.id.intValue ?? 0)")
                return answer
            case "notifications/initialized": return TransportResponse(status: 202)
            case "tools/call" where message.headers["Mcp-Session-Id"] == "session 1":
                try await gate.pass()
                return .error(.invalidRequest, "Session not found", status: 404, id: message.id)
            default: return .result(["tools": [["name": "add"]], "content": []], to: message)
            }
        }
        let client = try await server.connect([.v2025November])
        _ = try await client.tools()
        async let first = client.call("add")
        async let second = client.call("add")
        await gate.arrivals(2)
        gate.open()
        _ = try await (first, second)
        #expect(server.messages.count { $0.method == "initialize" } == 2)
    }
}
