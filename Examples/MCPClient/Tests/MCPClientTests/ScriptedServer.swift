import AuthStateJOSE
import AuthStateKit
import AuthStateResource
import AuthStateTesting
import Foundation
import MCPClient

/// An MCP server that answers from a function, without a network and without authorization.
struct ScriptedServer: Sendable {
    /// A message of the client.
    struct Message: Sendable {
        var method: String
        var id: JSONValue
        var params: JSONValue
        var headers: TransportHeaders
    }

    let transport: ScriptedTransport

    init(_ answer: @escaping @Sendable (Message) async throws -> TransportResponse) {
        transport = ScriptedTransport(then: .dynamic { try await answer(Self.message($0)) })
    }

    private static func message(_ request: TransportRequest) -> Message {
        let body = try? JSONValue(parsing: Array(request.body ?? Data()))
        return Message(
            method: body?["method"]?.stringValue ?? request.method.rawValue, id: body?["id"] ?? .null,
            params: body?["params"] ?? [:], headers: request.headers)
    }

    /// The messages so far.
    var messages: [Message] { transport.requests.map(Self.message) }

    func connect(_ revisions: [Revision] = Revision.all, extensions: [String] = []) async throws -> MCPClient {
        try await MCPClient.connect(
            to: try ResourceAccess(
                "https://mcp.example/mcp", clients: [], store: InMemoryAuthStateStore(),
                service: AuthorizationService(transport: transport)),
            revisions: revisions, extensions: extensions)
    }
}

extension TransportResponse {
    static func result(_ value: JSONValue, to message: ScriptedServer.Message) -> Self {
        json(["jsonrpc": "2.0", "id": message.id, "result": value])
    }

    static func error(
        _ code: JSONRPCError.Code, _ text: String = "no", status: Int = 200, id: JSONValue, data: JSONValue? = nil
    ) -> Self {
        var error: [String: JSONValue] = ["code": .number(JSONNumber(code.rawValue)), "message": .string(text)]
        error["data"] = data
        return json(["jsonrpc": "2.0", "id": id, "error": .object(error)], status: status)
    }

    static func json(_ value: JSONValue, status: Int = 200) -> Self {
        Self(status: status, headers: ["Content-Type": "application/json"], body: Data(value.serialized()))
    }

    static func stream(_ messages: JSONValue...) -> Self {
        let text = messages.map {
            "event: message\r\ndata: \(String(decoding: $0.serialized(), as: UTF8.self))\r\n\r\n"
        }
        return Self(
            status: 200, headers: ["Content-Type": "text/event-stream; charset=utf-8"], body: Data(text.joined().utf8))
    }
}
