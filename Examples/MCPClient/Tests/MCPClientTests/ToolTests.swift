import AuthStateKit
import MCPClient
import Testing

struct ToolTests {
    @Test("words of a command line become arguments of the schema's types")
    func arguments() throws {
        let tool = Tool(
            name: "t", inputSchema: ["properties": ["text": ["type": "string"], "count": ["type": "integer"]]])
        #expect(
            try tool.arguments(["text=5", "count=5", "flag=true", "list=[1]", "free=a=b", "empty="])
                == ["text": "5", "count": 5, "flag": true, "list": [1], "free": "a=b", "empty": ""])
        for words in [["x"], ["=1"], ["a=1", "a=2"]] {
            #expect(throws: MCPError.self) { try tool.arguments(words) }
        }
    }

    /// The tools of a server that lists one of this schema, and the headers of a call.
    private func headers(_ schema: JSONValue, _ arguments: [String: JSONValue]) async throws -> TransportHeaders? {
        let server = ScriptedServer { message in
            .result(["tools": [["name": "t", "inputSchema": schema]], "content": []], to: message)
        }
        let client = try await server.connect()
        guard try await !client.tools().isEmpty else { return nil }
        _ = try await client.call("t", arguments)
        return server.messages.last?.headers
    }

    @Test("parameters that the tool marks are repeated in headers, where they have a value")
    func mirrored() async throws {
        let schema: JSONValue = [
            "type": "object",
            "properties": [
                "region": ["type": "string", "x-mcp-header": "Region"],
                "where": ["properties": ["shard": ["type": "integer", "x-mcp-header": "Shard"]]],
                "dry": ["type": "boolean", "x-mcp-header": "Dry"], "none": ["type": "string", "x-mcp-header": "None"],
                "null": ["type": "string", "x-mcp-header": "Null"],
            ],
        ]
        let headers = try #require(
            try await headers(schema, ["region": "Hello, 世界", "where": ["shard": 7], "dry": false, "null": .null]))
        #expect(headers["Mcp-Param-Region"] == "=?base64?SGVsbG8sIOS4lueVjA==?=")
        #expect(headers["Mcp-Param-Shard"] == "7" && headers["Mcp-Param-Dry"] == "false")
        #expect(headers["Mcp-Param-None"] == nil && headers["Mcp-Param-Null"] == nil)
    }

    @Test(
        "values that a header cannot carry are sent in Base64",
        arguments: [
            ("us-west1", "us-west1"), (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ])
    func encoding(_ value: String, _ encoded: String) async throws {
        let schema: JSONValue = ["properties": ["a": ["type": "string", "x-mcp-header": "A"]]]
        #expect(try await headers(schema, ["a": .string(value)])?["Mcp-Param-A"] == encoded)
    }

    @Test("a tool whose marks break the rules is not offered")
    func invalid() async throws {
        func property(_ mark: JSONValue, type: JSONValue = "string") -> JSONValue {
            ["properties": ["a": ["type": type, "x-mcp-header": mark]]]
        }
        let invalid: [JSONValue] = [
            property(""), property("a b"), property("a\nb"), property(1), property("N", type: "number"),
            [
                "properties": [
                    "a": ["type": "string", "x-mcp-header": "A"], "b": ["type": "string", "x-mcp-header": "a"],
                ]
            ],
            ["properties": ["a": ["type": "array", "items": ["type": "string", "x-mcp-header": "A"]]]],
            ["anyOf": [property("A")]], ["type": "string", "x-mcp-header": "A"],
        ]
        for schema in invalid { #expect(try await headers(schema, [:]) == nil, "\(schema)") }
        // A parameter of this name is no mark.
        #expect(try await headers(["properties": ["x-mcp-header": ["type": "string"]]], [:]) != nil)
    }

    @Test("a tool that wants other headers than before is listed again")
    func changed() async throws {
        let server = ScriptedServer { message in
            guard message.method == "tools/call" else {
                return .result(["tools": [["name": "t"]], "content": []], to: message)
            }
            return .error(.headerMismatch, status: 400, id: message.id)
        }
        let client = try await server.connect()
        await #expect(throws: JSONRPCError(.headerMismatch, "no")) { try await client.call("t") }
        #expect(
            server.messages.map(\.method)
                == ["server/discover", "tools/list", "tools/call", "tools/list", "tools/call"])
    }
}
