import AuthStateKit
import AuthStatePlatform
import MCPClient

extension MCPBridge {
    /// The connection of the transport of 2024-11-05 (HTTP with SSE): one stream has all that the server says, and messages go
    /// to an endpoint that it names.
    struct OldTransport: Sendable {
        let endpoint: URL
        let answers: Waiters<JSONValue, BridgedMessage>
        let reader: Task<Void, Never>

        func end() { reader.cancel() }
    }

    /// Opens the stream; nil where the server has none.
    ///
    /// - Parameter login: When a login may be made for it.
    func openStream(_ login: BridgeLink.Login) async throws -> OldTransport? {
        stream?.end()
        stream = nil
        let found: (URL, ServerEvents)?
        do { found = try await findEndpoint(login) } catch {
            // The refusal of the first message says more.
            try Task.checkCancellation()
            found = nil
        }
        guard let (endpoint, events) = found else { return nil }
        let answers = Waiters<JSONValue, BridgedMessage>()
        let opened = OldTransport(
            endpoint: endpoint, answers: answers,
            reader: Task {
                var events = events
                do { while let event = try await events.next() { await pass(event, to: answers) } } catch {}
                if stream?.answers === answers { stream = nil }
                answers.resumeAll(
                    with: .failure(
                        BridgeFailure(
                            .internalError,
                            "The server ended the stream before the answer; the request may have been done.",
                            data: ["authstate": ["code": "malformedResponse"]])))
            })
        stream = opened
        return opened
    }

    /// Asks for the stream, and returns the endpoint that its first event names, and the other events.
    private func findEndpoint(_ login: BridgeLink.Login) async throws -> (URL, ServerEvents)? {
        let request = TransportRequest(url: url, headers: ["Accept": "text/event-stream"], timeout: timeout)
        let response = try await link.stream(request, operation: "GET", login: login, onLogin: tellOfLogin)
        guard response.hasEvents else { return nil }
        return try await within(timeout) { [url] in
            var events = ServerEvents(response)
            guard let first = try await events.next(), first.name == "endpoint",
                let endpoint = URL(string: first.data, relativeTo: url)?.absoluteURL
            else { return nil }
            return (endpoint, events)
        }
    }

    private func pass(_ event: EventStreamParser.Event, to answers: Waiters<JSONValue, BridgedMessage>) async {
        guard event.name == "message" else { return }
        for case .success(let message) in BridgedMessage.read(event) {
            if message.kind == .response, let id = message.envelope["id"], answers.resume(id, with: .success(message)) {
                continue
            }
            await forward(message)
        }
    }

    /// Sends a message to the endpoint, and waits for the answer to a request on the stream.
    func exchange(_ message: BridgedMessage, over stream: OldTransport) async throws -> BridgedMessage? {
        guard let id = message.requestID else {
            try await post(message, to: stream.endpoint)
            return nil
        }
        var posting: Task<Void, Never>?
        // A request that is cancelled while a login is made for it is not sent.
        defer { posting?.cancel() }
        return try await stream.answers.value(for: id) {
            posting = Task {
                do { try await post(message, to: stream.endpoint) } catch {
                    stream.answers.resume(id, with: .failure(error))
                }
            }
        }
    }

    private func post(_ message: BridgedMessage, to endpoint: URL) async throws {
        let request = TransportRequest(
            method: .post, url: endpoint, headers: ["Content-Type": "application/json"], body: message.bytes,
            timeout: timeout)
        let response = try await link.stream(request, operation: message.operation, onLogin: tellOfLogin)
        guard (200..<300).contains(response.status) else {
            throw BridgeFailure(
                .internalError, "The server answered with HTTP status \(response.status).",
                data: Self.data(status: response.status))
        }
    }
}
