import AuthStateKit
import AuthStatePlatform
import MCPClient

extension MCPBridge {
    /// Reads the answer to a request; what comes before it in a stream goes to the host.
    func answer(
        to message: BridgedMessage, in response: StreamedResponse, over connection: Connection
    ) async throws -> BridgedMessage {
        if response.hasEvents { return try await answer(to: message, inEventsOf: response, over: connection) }
        guard response.mediaType == "application/json" else {
            throw Self.malformed("with \(response.mediaType?.printable() ?? "nothing")")
        }
        var answer: BridgedMessage?
        for result in BridgedMessage.read(try await collected(response).body) {
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
        guard event.name == "message", !event.bytes.isEmpty else { return nil }
        var answer: BridgedMessage?
        for result in BridgedMessage.read(event) {
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
    func forward(_ message: BridgedMessage) async {
        guard message.kind == .response else { return await write(message.line) }
        console.note("authstate: The server sent an answer to another request, which is left out.")
    }

    /// Asks for the rest of a stream, several times where the server cannot be reached.
    ///
    /// - Parameter mayLogIn: Whether a login may be made for it.
    private func resumed(
        after last: String?, waiting retry: Duration?, over connection: Connection, mayLogIn: Bool = true,
        attempts: Int = 5
    ) async throws -> StreamedResponse {
        let least = max(retry ?? .seconds(1), .milliseconds(100))
        var pause = least
        for attempt in 1... {
            try await Task.sleep(for: pause)
            var request = try request(.get, over: connection, accept: "text/event-stream")
            if let last { request.headers.append("Last-Event-ID", last) }
            do {
                let response = try await link.stream(
                    request, operation: "GET", mayLogIn: mayLogIn, onLogin: tellOfLogin)
                if response.hasEvents { return response }
                if response.status < 500 || attempt >= attempts {
                    throw Self.malformed("with HTTP status \(response.status) where a stream was to be resumed")
                }
            } catch let error as AuthStateError {
                if error.kind != .transient || attempt >= attempts { throw error }
            }
            // The server's own pause is the shortest one.
            pause = max(least, min(pause * 2, .seconds(30)))
        }
        throw CancellationError()
    }

    /// Reads what the server sends outside of answers, where it offers that; no login is made for it.
    func listen() {
        guard connection.revision != nil, connection.mayListen, stream == nil, !isEnding else { return }
        listener?.cancel()
        listener = Task { [connection] in
            do {
                let first = try await link.stream(
                    try request(.get, over: connection, accept: "text/event-stream"), operation: "GET", mayLogIn: false)
                guard first.hasEvents else { return noteSilence(of: connection, isLasting: first.status < 500) }
                var events = ServerEvents(first)
                while true {
                    do { while let event = try await events.next() { _ = await pass(event) } } catch is TransportError {
                    }
                    try Task.checkCancellation()
                    let next = try await resumed(
                        after: events.lastEventID, waiting: events.retry, over: connection, mayLogIn: false)
                    events = ServerEvents(next, resuming: events)
                }
            } catch is CancellationError {
            } catch {
                console.note("authstate: Messages outside of answers do not come at present: \(error)")
                noteSilence(of: connection, isLasting: !((error as? AuthStateError)?.kind == .transient))
            }
        }
    }

    /// Notes that the server sends nothing outside of answers; for a while, the next answer begins to listen again.
    private func noteSilence(of listened: Connection, isLasting: Bool) {
        guard !Task.isCancelled, listened.sessionID == connection.sessionID else { return }
        listener = nil
        if isLasting { connection.mayListen = false }
    }
}
