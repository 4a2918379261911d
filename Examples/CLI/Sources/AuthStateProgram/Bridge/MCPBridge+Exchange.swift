import AuthStateKit
import AuthStatePlatform
import MCPClient

extension MCPBridge {
    /// Sends a message to the server, and returns the answer to a request; what the server sends before it goes to the host.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - reopening: When a login may be made for a message that opens a session in place of another; all others, nil, wait
    ///     for that.
    /// - Throws: `BridgeFailure`, `AuthStateError`, `TransportError`, `CancellationError`.
    func exchange(_ message: BridgedMessage, reopening: BridgeLink.Login? = nil) async throws -> BridgedMessage? {
        let isFirst = message.method == "initialize"
        if reopening == nil, !isFirst { try await awaitSession() }
        if let stream, !isFirst { return try await exchange(message, over: stream) }
        var used = isFirst ? Connection() : connection
        var response: StreamedResponse
        if let reopening {
            response = try await post(message, over: used, login: reopening)
        } else {
            (response, used) = try await postMending(message, over: used)
        }
        if response.status == 400, message.method == "tools/call" {
            let refused = try await collected(response)
            let code = try? JSONValue(parsing: refused.body)["error"]?["code"]?.intValue
            if code == JSONRPCError.Code.headerMismatch.rawValue, try await learnTools(for: message) {
                response = try await post(message, over: used)
            } else {
                response = StreamedResponse(refused)
            }
        }
        guard (200..<300).contains(response.status) else {
            return try await refusal(response, of: message, login: reopening ?? .always)
        }
        guard message.requestID != nil else { return nil }
        if isFirst {
            connection = Connection(initialize: message)
            // Of other characters none has a place in a header.
            let session = response.headers["Mcp-Session-Id"]
            connection.sessionID = session.flatMap { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? $0 : nil }
            used = connection
        }
        let answer = try await answer(to: message, in: response, over: used)
        let noted = try note(answer, to: message)
        if !isFirst, !isEnding, listener == nil, message.revision == nil { listen() }
        return noted
    }

    private func post(
        _ message: BridgedMessage, over connection: Connection, login: BridgeLink.Login = .always
    ) async throws -> StreamedResponse {
        let request = try request(
            .post, over: connection, message: message, accept: "application/json, text/event-stream")
        return try await link.stream(request, operation: message.operation, login: login, onLogin: tellOfLogin)
    }

    /// Sends a message, and sends it again in another session where the server has ended its own: it has done nothing then.
    ///
    /// Some servers answer 401 to a session that they do not know. The message that opens a session has none, and tells whether it
    /// is the token that is refused: before a login, and after one.
    private func postMending(
        _ message: BridgedMessage, over connection: Connection
    ) async throws -> (StreamedResponse, Connection) {
        var used = connection
        for login in [BridgeLink.Login.unlessRefused, .always] where used.sessionID != nil {
            do {
                let response = try await post(message, over: used, login: login)
                guard [400, 404].contains(response.status) else { return (response, used) }
                let refused = try await collected(response)
                guard refused.tellsOfLostSession else { return (StreamedResponse(refused), used) }
                try await reopen(after: used)
                used = self.connection
                break
            } catch let error as AuthStateError where error.isRefusal {
                do { try await reopen(after: used, login: .never) } catch let other as AuthStateError
                    where other.kind == .reauthenticationRequired
                {
                    if login == .always { throw error }
                    continue
                }
                used = self.connection
            }
        }
        return (try await post(message, over: used), used)
    }

    /// Returns a request to the server, with the headers that the protocol wants.
    func request(
        _ method: TransportRequest.Method, over connection: Connection, message: BridgedMessage? = nil, accept: String
    ) throws -> TransportRequest {
        var request = TransportRequest(method: method, url: url, headers: ["Accept": accept], timeout: timeout)
        if let message {
            request.headers.append("Content-Type", "application/json")
            request.body = try message.declaring(extensions).bytes
        }
        if let message, let revision = message.revision {
            request.headers.append("MCP-Protocol-Version", Tool.headerValue(revision))
            request.headers.append("Mcp-Method", Tool.headerValue(message.method ?? ""))
            if let name = message.name { request.headers.append("Mcp-Name", Tool.headerValue(name)) }
            if message.method == "tools/call", let tool = message.name.flatMap({ tools[$0] }) {
                let arguments = try message.whole()["params"]?["arguments"]?.objectValue ?? [:]
                for field in tool.headers(for: arguments) { request.headers.append(field.name, field.value) }
            }
        } else {
            if let revision = connection.revision { request.headers.append("MCP-Protocol-Version", revision) }
            if let session = connection.sessionID { request.headers.append("Mcp-Session-Id", session) }
        }
        return request
    }

    /// Reads an answer that is no stream, within the time for its head.
    func collected(_ response: StreamedResponse) async throws -> TransportResponse {
        try await within(timeout, isShort: true) { try await response.collected(upTo: 64 << 20) }
    }

    /// Returns the error that a server answers with, or tells what it answered instead.
    private func refusal(
        _ response: StreamedResponse, of message: BridgedMessage, login: BridgeLink.Login
    ) async throws -> BridgedMessage? {
        let response = try await collected(response)
        if let id = message.requestID, var members = try? JSONValue(parsing: response.body).objectValue,
            members["error"]?["code"]?.intValue != nil
        {
            (members["id"], members["jsonrpc"]) = (id, "2.0")
            return try BridgedMessage.read(Data(JSONValue.object(members).serialized()))[0].get()
        }
        if message.method == "initialize", [400, 404, 405].contains(response.status),
            let stream = try await openStream(login)
        {
            let answer = try await exchange(message, over: stream)
            connection = Connection(initialize: message, isOld: true)
            return try answer.map { try note($0, to: message) }
        }
        if (300..<400).contains(response.status), let target = response.headers["Location"] {
            let target = await link.hiding(target).printable()
            throw BridgeFailure(
                .internalError,
                "The server redirects to \(target). If you trust that address, use it with 'authstate mcp'.",
                data: ["authstate": ["code": "redirect", "http_status": JSONValue(response.status)]])
        }
        let text = await link.hiding(String(decoding: response.body.prefix(4096), as: UTF8.self)).printable()
        throw BridgeFailure(
            .internalError,
            "The server answered with HTTP status \(response.status)\(text.isEmpty ? "." : ": \(text)")",
            data: Self.data(status: response.status))
    }

    /// What a program is told of a status that is no answer of the protocol's.
    static func data(status: Int) -> JSONValue {
        ["authstate": ["code": "httpStatus", "http_status": JSONValue(status)]]
    }

    /// Lists the tools for a call whose parameters the server wants in headers; returns whether that has changed the headers.
    private func learnTools(for call: BridgedMessage) async throws -> Bool {
        guard let name = call.name, let meta = call.envelope["params"]?["_meta"] else { return false }
        let former = tools[name]
        var cursor: JSONValue?
        for _ in 0..<100 where tools[name] == former {
            let list = JSONValue(known: [
                "jsonrpc": "2.0", "id": "authstate-tools", "method": "tools/list",
                "params": JSONValue(known: ["_meta": meta, "cursor": cursor]),
            ])
            let request = try BridgedMessage.read(Data(list.serialized()))[0].get()
            let listing = try await post(request, over: connection)
            guard (200..<300).contains(listing.status) else { break }
            let answer = try await answer(to: request, in: listing, over: connection)
            _ = try note(answer, to: request)
            cursor = try answer.whole()["result"]?["nextCursor"]
            if cursor == nil { break }
        }
        return tools[name] != former
    }

    static func malformed(_ what: String) -> BridgeFailure {
        BridgeFailure(
            .internalError, "The server answered \(what).", data: ["authstate": ["code": "malformedResponse"]])
    }
}
