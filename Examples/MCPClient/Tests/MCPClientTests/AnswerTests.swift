import AuthStateKit
import Foundation
import MCPClient
import Testing

struct AnswerTests {
    /// The error of a request for the tools, which a server answers in a way.
    private func error(
        _ answer: @escaping @Sendable (ScriptedServer.Message) -> TransportResponse
    ) async throws -> any Error {
        let client = try await ScriptedServer { message in
            message.method == "server/discover" ? .result([:], to: message) : answer(message)
        }.connect()
        return try #require(await #expect(throws: (any Error).self) { try await client.tools() })
    }

    @Test("an error of JSON-RPC is one, regardless of the HTTP status", arguments: [200, 400, 404, 500])
    func typedErrors(_ status: Int) async throws {
        let error = try await error { .error(.invalidParams, "Unknown tool: x", status: status, id: $0.id, data: [1]) }
        #expect(error as? JSONRPCError == JSONRPCError(.invalidParams, "Unknown tool: x", data: [1]))
        #expect("\(error)" == "Unknown tool: x (-32602)")
    }

    @Test("an error without the request's id counts, for the server may not have read it")
    func errorWithoutID() async throws {
        let error = try await error { _ in .error(.parseError, status: 400, id: .null) }
        #expect((error as? JSONRPCError)?.code == .parseError)
    }

    @Test("an error in an event stream is one")
    func errorInStream() async throws {
        let error = try await error {
            .stream(["jsonrpc": "2.0", "id": $0.id, "error": ["code": -32603, "message": "\u{1B}[2Jboom"]])
        }
        #expect((error as? JSONRPCError)?.code == .internalError)
        #expect("\(error)" == "\u{FFFD}[2Jboom (-32603)")
    }

    @Test("a status without an error of JSON-RPC is an error of its own", arguments: [302, 403, 429, 500])
    func statuses(_ status: Int) async throws {
        let error = try await error { _ in TransportResponse(status: status, body: .init("<html>".utf8)) }
        #expect(error as? MCPError == .status(status))
    }

    @Test("answers that are none are refused")
    func malformed() async throws {
        let answers: [@Sendable (ScriptedServer.Message) -> TransportResponse] = [
            { _ in .json(["jsonrpc": "2.0", "id": 99, "result": [:]]) },
            { .json(["jsonrpc": "2.0", "id": $0.id]) },
            { .json(["jsonrpc": "2.0", "id": $0.id, "result": "text"]) },
            { _ in .json([1]) },
            { _ in TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: .init("{".utf8))
            },
            { _ in TransportResponse(status: 200) },
            { _ in .stream() },
            { _ in .stream(["jsonrpc": "2.0", "id": 99, "result": [:]]) },
        ]
        for answer in answers {
            guard case .malformedAnswer = try await error(answer) as? MCPError else {
                Issue.record("another error")
                continue
            }
        }
    }

    @Test("an answer comes after notifications, in a stream")
    func notifications() async throws {
        let client = try await ScriptedServer { message in
            .stream(
                ["jsonrpc": "2.0", "method": "notifications/progress", "params": [:]],
                ["jsonrpc": "2.0", "id": message.id, "method": "ping"],
                ["jsonrpc": "2.0", "id": message.id, "result": ["tools": [["name": "add"], ["title": "no name"]]]])
        }.connect()
        #expect(try await client.tools() == [Tool(name: "add")])
    }

    @Test("a list comes in pages, of which none may repeat")
    func pages() async throws {
        let server = ScriptedServer { message in
            switch message.params["cursor"] {
            case nil: .result(["tools": [["name": "a"]], "nextCursor": "1"], to: message)
            default: .result(["tools": [["name": "b"]]], to: message)
            }
        }
        #expect(try await server.connect().tools().map(\.name) == ["a", "b"])
        let endless = try await error { .result(["tools": [], "nextCursor": "1"], to: $0) }
        #expect(endless as? MCPError == .malformedAnswer("a list that never ends"))
        // Each page with a cursor of its own, or with more tools than any server has.
        for count in [1, 4000] {
            let long = ScriptedServer { message in
                let tools = JSONValue.array(Array(repeating: ["name": "a"], count: count))
                return .result(["tools": tools, "nextCursor": .string("\(message.id)")], to: message)
            }
            let client = try await long.connect()
            let error = await #expect(throws: MCPError.self) { try await client.tools() }
            #expect(error == .malformedAnswer("a list that never ends"))
            #expect(long.messages.count < (count == 1 ? 110 : 10))
        }
    }

    @Test("a result that asks for an input is an error, a tool's failure is a result")
    func results() async throws {
        #expect(try await error { .result(["resultType": "input_required"], to: $0) } as? MCPError == .inputRequired)
        let client = try await ScriptedServer { message in
            message.method == "tools/call"
                ? .result(["content": [["type": "text", "text": "no disk"]], "isError": true], to: message)
                : .result(["tools": [["name": "save"]]], to: message)
        }.connect()
        let result = try await client.call("save")
        #expect(result.isError && result.text == "no disk")
        await #expect(throws: MCPError.unknownTool("other")) { try await client.call("other") }
    }
}
