import AuthStateJOSE
import AuthStateKit
import AuthStateResource
import Foundation

extension MCPClient {
    /// Sends a request and returns its result; opens another session when the server has ended this one.
    func request(
        _ method: String, _ params: [String: JSONValue] = [:], name: String? = nil, headers: TransportHeaders = [:]
    ) async throws -> JSONValue {
        let used = connection
        do {
            return try await exchange(method, params, name: name, headers: headers, over: used).result
        } catch MCPError.sessionEnded {
            try await reopen(after: used)
            return try await exchange(method, params, name: name, headers: headers, over: connection).result
        }
    }

    /// Opens a session in place of one that the server has ended; requests that find it ended share this.
    private func reopen(after used: Connection) async throws {
        if reopening == nil, connection == used {
            reopening = Task {
                defer { reopening = nil }
                try await shakeHands()
            }
        }
        try await reopening?.valueUnlessCancelled()
    }

    /// Sends a request once, and returns its result and the headers of its answer.
    func exchange(
        _ method: String, _ params: [String: JSONValue], name: String? = nil, headers: TransportHeaders = [:],
        over connection: Connection
    ) async throws -> (result: JSONValue, headers: TransportHeaders) {
        lastID += 1
        let id = lastID
        var http = message(method, params, id: id, name: name, over: connection)
        for field in headers where connection.revision.isStateless { http.headers.append(field.name, field.value) }
        let response = try await access.performAction(http, operation: "\(method) \(name ?? "")")
        if connection.sessionID != nil, response.tellsOfLostSession { throw MCPError.sessionEnded }
        let result = try Answer(response, to: id).result
        guard result["resultType"]?.stringValue ?? "complete" == "complete" else { throw MCPError.inputRequired }
        return (result, response.headers)
    }

    /// Sends a message that has no answer.
    func notify(_ method: String, over connection: Connection) async throws {
        let response = try await access.performAction(
            message(method, [:], id: nil, over: connection), operation: method)
        guard (200..<300).contains(response.status) else { throw MCPError.status(response.status) }
    }

    /// Tells the server that the session is over; no login is made for it, and none is lost.
    func endSession() async throws {
        var http = TransportRequest(method: .delete, url: access.resource.url, headers: headers(of: connection))
        http.timeout = .seconds(10)
        if let state = try await access.authState() {
            _ = try await state.performAction(http, policy: .failRequestOnly)
        } else {
            _ = try await access.service.transport.send(http)
        }
    }

    private func message(
        _ method: String, _ params: [String: JSONValue], id: Int64?, name: String? = nil, over connection: Connection
    ) -> TransportRequest {
        var params = params
        var headers = headers(of: connection)
        headers.append("Content-Type", "application/json")
        headers.append("Accept", "application/json, text/event-stream")
        if connection.revision.isStateless {
            headers.append("Mcp-Method", method)
            if let name { headers.append("Mcp-Name", Tool.headerValue(name)) }
            params["_meta"] = [
                "io.modelcontextprotocol/protocolVersion": .string(connection.revision.rawValue),
                "io.modelcontextprotocol/clientInfo": ["name": .string(self.name), "version": .string(version)],
                "io.modelcontextprotocol/clientCapabilities": capabilities,
            ]
        }
        var message: [String: JSONValue] = ["jsonrpc": "2.0", "method": .string(method)]
        message["id"] = id.map { .number(JSONNumber($0)) }
        if !params.isEmpty { message["params"] = .object(params) }
        return TransportRequest(
            method: .post, url: access.resource.url, headers: headers,
            body: Data(JSONValue.object(message).serialized()), timeout: timeout)
    }

    /// The headers of every request.
    private func headers(of connection: Connection) -> TransportHeaders {
        var headers: TransportHeaders = [:]
        if connection.isOpen { headers.append("MCP-Protocol-Version", connection.revision.rawValue) }
        if let session = connection.sessionID { headers.append("Mcp-Session-Id", session) }
        return headers
    }
}
