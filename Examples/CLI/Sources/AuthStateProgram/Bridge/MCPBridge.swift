import AuthStateKit
import AuthStatePlatform
import MCPClient

/// Carries messages of the Model Context Protocol between a host, on two pipes, and a server on streamable HTTP, or on the
/// transport before it.
///
/// Messages pass as they came; what the transport needs is read from them.
actor MCPBridge {
    let link: BridgeLink
    /// The server.
    let url: URL
    let output: LineOutput
    let console: Console
    /// The time until the head of an answer.
    let timeout: Duration
    /// The extensions of the protocol that the bridge adds to the host's.
    let extensions: [String]
    /// Adds the program's advice to an error.
    private let advise: @Sendable (AuthStateError) -> AuthStateError

    /// The session with the server, in revisions before 2026-07-28.
    var connection = Connection()
    /// The session that is being opened in place of one that the server has ended; all messages but its own wait for it.
    var reopening: (task: Task<Void, any Error>, login: BridgeLink.Login)?
    /// Reads what the server sends outside of answers.
    var listener: Task<Void, Never>?
    /// The connection of a server that knows the transport of 2024-11-05 alone.
    var stream: OldTransport?
    /// The tools whose calls repeat parameters in headers, by name.
    var tools: [String: Tool] = [:]
    /// Whether the host's input has ended.
    private(set) var isEnding = false

    private var tasks: [Int: Task<Void, Never>] = [:]
    private var serials: [JSONValue: Int] = [:]
    private var lastSerial = 0
    /// The message that has ended last.
    private var lastEnd = 0
    /// The end of the messages that open a session.
    private var handshake: Task<Void, Never>?

    /// The most messages that are on their way at once.
    private static let maximumMessages = 1000
    /// The time that requests have after the host's end of input.
    private static let grace: Duration = .seconds(10)
    /// The time for each step of the end.
    private static let lastStep: Duration = .seconds(2)

    init(
        _ link: BridgeLink, url: URL, output: LineOutput, console: Console, timeout: Duration,
        extensions: [String] = [],
        advise: @escaping @Sendable (AuthStateError) -> AuthStateError = { $0 }
    ) {
        (self.link, self.url, self.output, self.console) = (link, url, output, console)
        (self.timeout, self.extensions, self.advise) = (timeout, extensions, advise)
    }

    /// What host and server have agreed on.
    struct Connection: Sendable {
        /// The host's message that opened the session; nil before one.
        var initialize: BridgedMessage?
        /// The revision of the server's answer; nil before it.
        var revision: String?
        /// The session; nil at a server that keeps none.
        var sessionID: String?
        /// Whether the server may send messages for a log.
        var hasLog = false
        /// Whether the server knows the transport of 2024-11-05 alone.
        var isOld = false
        /// The time until which the server is not asked for messages outside of answers; nil for none.
        var silentUntil: ContinuousClock.Instant?
    }

    /// Carries messages until the host's input ends, or the task is cancelled.
    func run(_ input: LineInput) async {
        for await line in input {
            switch line {
            case .tooLong:
                await write(BridgeFailure(.invalidRequest, "This line has more than \(input.limit) bytes.").line())
            // A line without anything separates nothing.
            case .whole(let bytes) where bytes.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }: break
            case .whole(let bytes):
                for result in BridgedMessage.read(bytes) {
                    switch result {
                    case .success(let message): await take(message)
                    case .failure(let failure): await write(failure.line())
                    }
                }
            }
        }
        let isInterrupted = Task.isCancelled
        // This task may be cancelled.
        await Task { await end(isInterrupted: isInterrupted) }.value
    }

    private func take(_ message: BridgedMessage) async {
        if message.method == "notifications/cancelled", let id = message.envelope["params"]?["requestId"] {
            let task = serials[id].flatMap { tasks[$0] }
            task?.cancel()
            // Where each request stands alone the end of its exchange says so.
            if task == nil || connection.revision == nil { return }
        }
        if let id = message.requestID, serials[id] != nil || tasks.count >= Self.maximumMessages {
            let problem =
                serials[id] != nil
                ? "The identifier is that of a request in progress." : "Too many requests are in progress."
            return await write(BridgeFailure(.invalidRequest, problem).line(to: id))
        }
        // Other messages have no answer that could say so: the host waits.
        while tasks.count >= Self.maximumMessages, let first = tasks.min(by: { $0.key < $1.key })?.value {
            do { try await first.valueUnlessCancelled() } catch { return }
        }
        lastSerial += 1
        // A server may wait for an answer of the host before it answers the first message.
        let (serial, before) = (lastSerial, message.kind == .response ? nil : handshake)
        if let id = message.requestID { serials[id] = serial }
        let task: Task<Void, Never>
        // Most messages are on their way before another thread would have begun.
        if #available(macOS 26.0, *) {
            task = .immediate { await carry(message, serial, behind: before) }
        } else {
            task = Task { await carry(message, serial, behind: before) }
        }
        if lastEnd != serial { tasks[serial] = task }
        if message.isHandshake { handshake = task }
    }

    /// Ends the identifier of a request, which is free for another one when its answer is written.
    private func release(_ message: BridgedMessage, _ serial: Int) {
        if let id = message.requestID, serials[id] == serial { serials[id] = nil }
    }

    /// Sends a message to the server, and its answer, or why there is none, to the host.
    private func carry(_ message: BridgedMessage, _ serial: Int, behind handshake: Task<Void, Never>?) async {
        defer {
            (tasks[serial], lastEnd) = (nil, serial)
            release(message, serial)
        }
        do {
            try await handshake?.valueUnlessCancelled()
            try Task.checkCancellation()
            let answer = try await exchange(message)
            try Task.checkCancellation()
            release(message, serial)
            if let answer { try await output.write(answer.line) }
            if message.method == "notifications/initialized" { listen() }
        } catch is CancellationError {
        } catch {
            // A cancelled request has no answer.
            if Task.isCancelled { return }
            let failure = failure(error)
            release(message, serial)
            if let id = message.requestID { return await write(failure.line(to: id)) }
            console.note("authstate: The server did not take \(message.method ?? "an answer"): \(failure.message)")
        }
    }

    /// The failure of a request on its way.
    private func failure(_ error: any Error) -> BridgeFailure {
        switch error {
        case let failure as BridgeFailure: failure
        case let error as TransportError:
            BridgeFailure(.internalError, "The connection to the server broke: \(error.message)")
        default: BridgeFailure(advise(AuthStateError(ending: error, stage: .resource)))
        }
    }

    /// Writes a line to the host; one that has gone is noticed at the end of its input.
    func write(_ line: Data) async { try? await output.write(line) }

    /// Tells the host's log that a user has to log in, where the protocol allows it.
    nonisolated func tellOfLogin() {
        let note: JSONValue = [
            "jsonrpc": "2.0", "method": "notifications/message",
            "params": [
                "level": "notice", "logger": "authstate", "data": .string("Waiting for the user to log in."),
            ],
        ]
        Task { await loginBegins(Data(note.serialized())) }
    }

    private func loginBegins(_ note: Data) async {
        // The server may have refused to be listened to for the want of it.
        connection.silentUntil = nil
        if connection.hasLog { await write(note) }
    }

    /// Ends the messages on their way, and the session.
    private func end(isInterrupted: Bool) async {
        isEnding = true
        listener?.cancel()
        let running = Array(tasks.values)
        let all = Task { for task in running { await task.value } }
        if await !link.holdsCalls, !isInterrupted { await all.wait(atMost: Self.grace) }
        for task in running { task.cancel() }
        reopening?.task.cancel()
        stream?.end()
        // A host that reads no more holds up a line for ever.
        await all.wait(atMost: Self.lastStep)
        await Task { await closeSession() }.wait(atMost: Self.lastStep)
        await link.finish()
    }
}
