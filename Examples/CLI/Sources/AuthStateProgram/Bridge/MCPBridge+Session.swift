import AuthStateKit
import AuthStatePlatform
import MCPClient

extension MCPBridge {
    /// Waits for a session that is being opened in place of another, and opens the stream of a server of 2024-11-05 again.
    func awaitSession() async throws {
        // Where it is not opened, the message finds that by itself.
        if let reopening { try? await reopening.task.valueUnlessCancelled() }
        try Task.checkCancellation()
        if connection.isOld, stream == nil { try await reopen(after: connection) }
    }

    /// Opens a session in place of one that the server has ended; requests that find it ended share this. The former one stays where
    /// that fails.
    ///
    /// - Parameter login: When a login may be made for it.
    func reopen(after used: Connection, login: BridgeLink.Login = .always) async throws {
        if let reopening {
            do { return try await reopening.task.valueUnlessCancelled() } catch let error as AuthStateError
                where login == .always && reopening.login == .never && error.kind == .reauthenticationRequired
            {}
        }
        guard reopening == nil else { return try await reopen(after: used, login: login) }
        guard connection.sessionID == used.sessionID, stream == nil, let initialize = connection.initialize else {
            return
        }
        let former = connection
        let task = Task {
            defer { reopening = nil }
            do {
                guard try await exchange(initialize, reopening: login)?.envelope["result"] != nil else {
                    throw Self.malformed("with an error where another session was to begin")
                }
                let initialized: JSONValue = ["jsonrpc": "2.0", "method": "notifications/initialized"]
                _ = try await exchange(
                    try BridgedMessage.read(Data(initialized.serialized()))[0].get(), reopening: login)
            } catch {
                stream?.end()
                (connection, stream) = (former, nil)
                throw error
            }
            listen()
        }
        reopening = (task, login)
        try await task.valueUnlessCancelled()
    }

    /// Keeps what an answer says about the connection, and the tools whose calls need headers.
    func note(_ answer: BridgedMessage, to message: BridgedMessage) throws -> BridgedMessage {
        switch message.method {
        case "initialize":
            guard let result = try answer.whole()["result"] else { break }
            let revision = result["protocolVersion"]?.stringValue ?? ""
            guard !revision.isEmpty, revision.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw Self.malformed("without a revision of the protocol")
            }
            connection.revision = revision
            connection.hasLog = result["capabilities"]?["logging"] != nil
        case "tools/list" where message.revision != nil: return try noteTools(answer)
        default: break
        }
        return answer
    }

    /// Takes away the tools whose headers break the protocol's rules, as it demands, and keeps those that have some.
    private func noteTools(_ answer: BridgedMessage) throws -> BridgedMessage {
        guard var members = try answer.whole().objectValue, var result = members["result"]?.objectValue,
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
        return try BridgedMessage.read(Data(JSONValue.object(members).serialized()))[0].get()
    }

    /// Tells the server that the session is over; no login is made for it.
    func closeSession() async {
        guard connection.sessionID != nil else { return }
        guard let request = try? request(.delete, over: connection, accept: "application/json") else { return }
        _ = try? await link.stream(request, operation: "DELETE", login: .never)
        connection.sessionID = nil
    }
}
