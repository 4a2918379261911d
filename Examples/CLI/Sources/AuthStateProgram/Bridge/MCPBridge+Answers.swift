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
            // One that ends again and again, with nothing in it, and without a time to wait, has no answer to come.
            guard events.lastEventID != nil, message.revision == nil,
                events.idle < 20 && events.empty < 100 || events.retry != nil
            else {
                throw Self.malformed("with a stream that ended before the answer; the request may have been done")
            }
            events = try await resumed(
                events, idle: events.retry == nil ? events.idle : 0, over: connection, login: .unlessRefused)
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
    /// - Parameters:
    ///   - idle: The number of its last parts for which the pause grows.
    ///   - login: When a login may be made for it.
    private func resumed(
        _ events: ServerEvents, idle: Int, over connection: Connection, login: BridgeLink.Login, attempts: Int = 5
    ) async throws -> ServerEvents {
        let least = max(events.retry ?? .seconds(1), Duration.milliseconds(100) * (1 << min(idle, 8)))
        var pause = least
        for attempt in 1... {
            try await Task.sleep(for: pause)
            var request = try request(.get, over: connection, accept: "text/event-stream")
            if let last = events.lastEventID { request.headers.append("Last-Event-ID", last) }
            do {
                let response = try await link.stream(
                    request, operation: "GET", login: login, onLogin: tellOfLogin)
                if response.hasEvents { return ServerEvents(response, resuming: events) }
                if response.status < 500 || attempt >= attempts {
                    throw BridgeFailure(
                        .internalError,
                        "The server answered with HTTP status \(response.status) where a stream was to be resumed.",
                        data: Self.data(status: response.status))
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
        guard connection.revision != nil, stream == nil, !isEnding, connection.silentUntil.map({ $0 <= .now }) ?? true
        else { return }
        listener?.cancel()
        listener = Task { [connection] in
            do {
                let first = try await link.stream(
                    try request(.get, over: connection, accept: "text/event-stream"), operation: "GET", login: .never)
                guard first.hasEvents else { return noteSilence(of: connection, Self.silence(after: first.status)) }
                var events = ServerEvents(first)
                while true {
                    do {
                        while let event = try await events.next() { _ = await pass(event) }
                    } catch is TransportError {}
                    try Task.checkCancellation()
                    // A server's own pause is kept for a while.
                    let pauses = events.retry == nil ? events.idle : events.idle < 30 ? 0 : 4
                    events = try await resumed(events, idle: pauses, over: connection, login: .never)
                }
            } catch is CancellationError {
            } catch {
                console.note("authstate: Messages outside of answers do not come at present: \(error)")
                noteSilence(of: connection, Self.silence(after: error))
            }
        }
    }

    /// The time for which the bridge does not ask to listen: without an end where the server has said that it offers nothing.
    private static func silence(after status: Int) -> Duration {
        switch status {
        case 401: .seconds(600)
        case 408, 425, 429: .seconds(60)
        case 501: .seconds(1e9)
        case 500...: .zero
        default: .seconds(1e9)
        }
    }

    private static func silence(after error: any Error) -> Duration {
        switch error {
        case let failure as BridgeFailure:
            failure.data?["authstate"]?["http_status"]?.intValue.map { silence(after: Int($0)) } ?? .zero
        // A login that a call leads to may mend it. Each request that is refused costs a renewal.
        case let error as AuthStateError where error.kind == .reauthenticationRequired: silence(after: 401)
        case let error as AuthStateError where error.kind != .transient: .seconds(1e9)
        default: .zero
        }
    }

    /// Notes that the server sends nothing outside of answers; after this time, the next answer begins to listen again.
    private func noteSilence(of listened: Connection, _ time: Duration) {
        guard !Task.isCancelled, listened.sessionID == connection.sessionID else { return }
        listener = nil
        connection.silentUntil = ContinuousClock.now + time
    }
}
