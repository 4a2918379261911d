import AuthStateKit
import AuthStatePlatform
import MCPClient

extension MCPBridge {
    /// Sends a message to the server, and returns the answer to a request; what the server sends before it goes to the host.
    ///
    /// - Throws: `BridgeFailure`, `AuthStateError`, `TransportError`, `CancellationError`.
    func exchange(_ message: BridgedMessage) async throws -> BridgedMessage? {
        // A message of the reopening itself goes ahead.
        if connection.isOld, stream == nil, reopening == nil, message.method != "initialize" {
            try await reopen(after: connection)
        }
        if let stream, message.method != "initialize" { return try await exchange(message, over: stream) }
        let used = connection
        var response = try await post(message, over: used)
        // The server has ended the session, and has done nothing.
        if response.status == 404, used.sessionID != nil, message.method != "initialize" {
            try await reopen(after: used)
            response = try await post(message, over: connection)
        }
        guard (200..<300).contains(response.status) else {
            return try await refusal(response, of: message)
        }
        guard message.requestID != nil else { return nil }
        let answer = try await answer(to: message, in: response, over: connection)
        return try note(answer, to: message, response.headers)
    }

    private func post(_ message: BridgedMessage, over connection: Connection) async throws -> StreamedResponse {
        let request = request(
            .post, over: message.method == "initialize" ? Connection() : connection, message: message,
            accept: "application/json, text/event-stream")
        return try await link.stream(request, operation: message.operation, onLogin: tellOfLogin)
    }

    /// Returns a request to the server, with the headers that the protocol wants.
    private func request(
        _ method: TransportRequest.Method, over connection: Connection, message: BridgedMessage? = nil, accept: String
    ) -> TransportRequest {
        var request = TransportRequest(method: method, url: url, headers: ["Accept": accept], timeout: timeout)
        if let message {
            request.headers.append("Content-Type", "application/json")
            request.body = Data(message.bytes)
        }
        if let message, let revision = message.revision {
            request.headers.append("MCP-Protocol-Version", Tool.headerValue(revision))
            request.headers.append("Mcp-Method", Tool.headerValue(message.method ?? ""))
            if let name = message.name { request.headers.append("Mcp-Name", Tool.headerValue(name)) }
            if message.method == "tools/call", let tool = message.name.flatMap({ tools[$0] }) {
                let arguments = message.json["params"]?["arguments"]?.objectValue ?? [:]
                for field in tool.headers(for: arguments) { request.headers.append(field.name, field.value) }
            }
        } else {
            if let revision = connection.revision { request.headers.append("MCP-Protocol-Version", revision) }
            if let session = connection.sessionID { request.headers.append("Mcp-Session-Id", session) }
        }
        return request
    }

    /// Returns the error that a server answers with, or tells what it answered instead.
    private func refusal(_ response: StreamedResponse, of message: BridgedMessage) async throws -> BridgedMessage? {
        let body = try await response.collected(upTo: 4 << 20).body
        if let id = message.requestID, let json = try? JSONValue(parsing: Array(body)), json["error"]?["code"] != nil {
            if json["error"]?["code"]?.intValue == JSONRPCError.Code.headerMismatch.rawValue,
                let again = try await repeated(message)
            {
                return again
            }
            var members = json.objectValue ?? [:]
            members["id"] = id
            members["jsonrpc"] = "2.0"
            let bytes = JSONValue.object(members).serialized()
            return try BridgedMessage.read(bytes).first?.get()
        }
        if message.method == "initialize", [400, 404, 405].contains(response.status),
            let stream = try await openStream()
        {
            let answer = try await exchange(message, over: stream)
            let noted = try answer.map { try note($0, to: message, [:]) }
            connection.isOld = true
            return noted
        }
        if (300..<400).contains(response.status), let target = response.headers["Location"] {
            throw BridgeFailure(
                .internalError,
                "The server redirects to \(target.printable()). If you trust that address, use it with 'authstate mcp'.",
                data: ["authstate": ["code": "redirect"]])
        }
        let text = String(decoding: body.prefix(300), as: UTF8.self).printable()
        throw BridgeFailure(
            .internalError, "The server answered with HTTP status \(response.status)\(text.isEmpty ? "" : ": \(text)")",
            data: ["httpStatus": .number(JSONNumber(Int64(response.status)))])
    }

    /// Calls a tool once more whose parameters the server wants in other headers than when it was listed; nil for other messages.
    private func repeated(_ message: BridgedMessage) async throws -> BridgedMessage? {
        guard message.method == "tools/call", let name = message.name, let meta = message.json["params"]?["_meta"]
        else {
            return nil
        }
        let former = tools[name]
        let list: JSONValue = [
            "jsonrpc": "2.0", "id": "authstate-tools", "method": "tools/list", "params": ["_meta": meta],
        ]
        let request = try BridgedMessage.read(list.serialized())[0].get()
        let listing = try await post(request, over: connection)
        guard (200..<300).contains(listing.status) else { return nil }
        _ = try note(try await answer(to: request, in: listing, over: connection), to: request, listing.headers)
        guard tools[name] != former else { return nil }
        let response = try await post(message, over: connection)
        guard (200..<300).contains(response.status) else { return nil }
        return try await answer(to: message, in: response, over: connection)
    }

    /// Reads the answer to a request; what comes before it in a stream goes to the host.
    private func answer(
        to message: BridgedMessage, in response: StreamedResponse, over connection: Connection
    ) async throws -> BridgedMessage {
        if response.hasEvents { return try await answer(to: message, inEventsOf: response, over: connection) }
        guard response.mediaType == "application/json" else {
            throw Self.malformed("with \(response.mediaType?.printable() ?? "nothing")")
        }
        let body = try await response.collected(upTo: 64 << 20).body
        var answer: BridgedMessage?
        for result in BridgedMessage.read(Array(body)) {
            guard case .success(let found) = result else { throw Self.malformed("with JSON that is no message") }
            if found.answers(message) { answer = found } else { await forward(found) }
        }
        guard let answer else { throw Self.malformed("another request") }
        return answer
    }

    private func answer(
        to message: BridgedMessage, inEventsOf response: StreamedResponse, over connection: Connection
    ) async throws -> BridgedMessage {
        var events = ServerEvents(response)
        while true {
            do {
                while let event = try await events.next() {
                    if let found = await pass(event, until: message) { return found }
                }
            } catch let error as TransportError {
                if error.code == .responseTooLarge { throw error }
            }
            // The connection has ended, the stream has not: it is resumed where the server numbers its events.
            guard let last = events.lastEventID, message.revision == nil else {
                throw Self.malformed("with a stream that ended before the answer; the request may have been done")
            }
            let next = try await resumed(after: last, waiting: events.retry, over: connection)
            events = ServerEvents(next, resuming: events)
        }
    }

    /// Passes an event to the host, unless it is the answer to a request.
    private func pass(_ event: EventStreamParser.Event, until message: BridgedMessage? = nil) async -> BridgedMessage? {
        guard event.name == "message", !event.data.isEmpty else { return nil }
        var answer: BridgedMessage?
        for result in BridgedMessage.read(Array(event.data.utf8)) {
            switch result {
            case .success(let found):
                if let message, found.answers(message) { answer = found } else { await forward(found) }
            case .failure(let failure):
                console.note("authstate: The server sent an event that is no message: \(failure.message)")
            }
        }
        return answer
    }

    /// Passes a message to the host; an answer to another request than the one that was sent there has no place in the exchange.
    private func forward(_ message: BridgedMessage) async {
        guard message.kind == .response else { return await write(message.line) }
        console.note("authstate: The server sent an answer to another request, which is left out.")
    }

    /// Asks for the rest of a stream, several times where the server cannot be reached.
    private func resumed(
        after last: String?, waiting retry: Duration?, over connection: Connection
    ) async throws -> StreamedResponse {
        var pause = max(retry ?? .seconds(1), .milliseconds(100))
        for attempt in 1... {
            try await Task.sleep(for: pause)
            var request = request(.get, over: connection, accept: "text/event-stream")
            if let last { request.headers.append("Last-Event-ID", last) }
            do {
                let response = try await link.stream(request, operation: "GET", onLogin: tellOfLogin)
                if response.hasEvents { return response }
                if response.status < 500 || attempt >= Self.maximumResumptions {
                    throw Self.malformed("with HTTP status \(response.status) where a stream was to be resumed")
                }
            } catch let error as AuthStateError {
                if error.kind != .transient || attempt >= Self.maximumResumptions { throw error }
            }
            pause = min(pause * 2, .seconds(30))
        }
        throw CancellationError()
    }

    /// The attempts to go on with a stream that broke.
    private static let maximumResumptions = 5

    private static func malformed(_ what: String) -> BridgeFailure {
        BridgeFailure(
            .internalError, "The server answered \(what).", data: ["authstate": ["code": "malformedResponse"]])
    }

    /// Keeps what an answer says about the connection, and the tools whose calls need headers.
    private func note(
        _ answer: BridgedMessage, to message: BridgedMessage, _ headers: TransportHeaders
    ) throws -> BridgedMessage {
        switch message.method {
        case "initialize":
            guard let result = answer.json["result"] else { break }
            connection = Connection(initialize: message, revision: result["protocolVersion"]?.stringValue)
            connection.hasLog = result["capabilities"]?["logging"] != nil
            // Of other characters none has a place in a header.
            let session = headers["Mcp-Session-Id"]
            connection.sessionID = session.flatMap { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? $0 : nil }
        case "tools/list" where message.revision != nil: return try noteTools(answer)
        default: break
        }
        return answer
    }

    /// Takes away the tools whose headers break the protocol's rules, as it demands, and keeps those that have some.
    private func noteTools(_ answer: BridgedMessage) throws -> BridgedMessage {
        guard var members = answer.json.objectValue, var result = members["result"]?.objectValue,
            let all = result["tools"]?.arrayValue
        else { return answer }
        let valid = all.filter { value in
            guard let tool = Tool(value) else { return true }
            tools[tool.name] = tool.hasValidHeaders ? tool : nil
            if !tool.hasValidHeaders {
                console.note(
                    "authstate: The tool \(tool.name.printable()) is left out: its x-mcp-header break the protocol's rules."
                )
            }
            return tool.hasValidHeaders
        }
        guard valid.count < all.count else { return answer }
        result["tools"] = .array(valid)
        members["result"] = .object(result)
        return try BridgedMessage.read(JSONValue.object(members).serialized())[0].get()
    }
}

extension MCPBridge {
    /// Opens a session in place of one that the server has ended; requests that find it ended share this.
    private func reopen(after used: Connection) async throws {
        guard connection.sessionID == used.sessionID, let initialize = connection.initialize, stream == nil else {
            return
        }
        if reopening == nil {
            reopening = Task {
                defer { reopening = nil }
                guard try await exchange(initialize)?.json["result"] != nil else {
                    throw Self.malformed("with an error where another session was to begin")
                }
                let initialized: JSONValue = ["jsonrpc": "2.0", "method": "notifications/initialized"]
                _ = try await exchange(try BridgedMessage.read(initialized.serialized())[0].get())
                listen()
            }
        }
        try await reopening?.value
    }

    /// Reads what the server sends outside of answers, where it offers that.
    func listen() {
        guard connection.revision != nil, stream == nil else { return }
        listener?.cancel()
        listener = Task { [connection] in
            do {
                let first = try await link.stream(
                    request(.get, over: connection, accept: "text/event-stream"), operation: "GET")
                guard first.hasEvents else { return }
                var events = ServerEvents(first)
                while true {
                    do { while let event = try await events.next() { _ = await pass(event) } } catch is TransportError {
                    }
                    try Task.checkCancellation()
                    let next = try await resumed(after: events.lastEventID, waiting: events.retry, over: connection)
                    events = ServerEvents(next, resuming: events)
                }
            } catch is CancellationError {
            } catch let failure as BridgeFailure {
                console.note("authstate: Messages outside of answers come no longer: \(failure.message)")
            } catch {
                console.note("authstate: Messages outside of answers come no longer: \(error)")
            }
        }
    }

    /// Tells the server that the session is over.
    func closeSession() async {
        guard connection.sessionID != nil else { return }
        var request = request(.delete, over: connection, accept: "application/json")
        request.timeout = .seconds(2)
        _ = try? await link.stream(request, operation: "DELETE")
        connection.sessionID = nil
    }
}
