import AuthStateKit
import AuthStatePlatform
import AuthStateProgram
import Synchronization

/// Passes requests on and answers, and tells the user what goes wrong.
struct ProxyForwarder: Sendable {
    private(set) var gate: ProxyGate
    let login: ProxyLogin
    /// The time in seconds for the head of the API's answer, renewals included; also for the API to take a piece of a request, and for
    /// the program to send one, or to read one of an answer.
    let limit: Double
    let log: ProxyLog
    /// The record of the requests; nil for none.
    var audit: ProxyAudit?
    /// Asks the user about requests; nil when they need not be confirmed.
    var confirmation: ProxyConfirmation?

    /// The same for requests that come by the socket.
    var forSocket: ProxyForwarder {
        var copy = self
        copy.gate = gate.forSocket
        return copy
    }

    /// Returns the API's answer when its head has come, or the proxy's own.
    ///
    /// - Parameter upgrade: Sends a request that opens a WebSocket; nil for other requests.
    func answer(
        to head: ProxyHead, _ body: ProxyBody, at url: URL, _ upgrade: ProxyUpgrade? = nil
    ) async -> ProxyAnswer {
        var request = TransportRequest(
            method: TransportRequest.Method(rawValue: head.method), url: url,
            headers: ProxyHeaders.request(head.headers), timeout: .seconds(limit))
        do {
            let (response, refusal): (StreamedResponse, AuthStateError?)
            switch body {
            case .whole(let bytes):
                request.body = bytes.isEmpty ? nil : bytes
                (response, refusal) = try await withinLimit { [request] in
                    try await login.send(request, upgrade: upgrade)
                }
            case .streamed(let upload):
                // The transport knows for whom the exchange waits.
                (response, refusal) = try await login.send(request, upload)
            }
            await log.note(refusal)
            return ProxyAnswer(response, to: head.method) { gate.upstream.location($0, of: url, at: gate.url) }
        } catch is CancellationError {
            return ProxyFailure.ending.answer
        } catch {
            return ProxyFailure(await log.note(AuthStateError(ending: error, stage: .resource))).answer
        }
    }

    private func withinLimit<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        try await withThrowingTaskGroup(of: R.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: body)
            group.addTask {
                try await Task.sleep(for: .seconds(limit))
                throw AuthStateError.timedOut(after: limit, stage: .resource, hint: "Allow more time with --timeout.")
            }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}

/// The proxy's messages on standard error: each failure once until another one, or a success, and with `--trace` a line for
/// each request.
final class ProxyLog: Sendable {
    private let console: Console
    private let traces: Bool
    private let advise: @Sendable (AuthStateError) async -> AuthStateError
    private let last = Mutex<Kind?>(nil)

    /// What makes two failures the same one: their texts may have times in them.
    private struct Kind: Equatable {
        let code: AuthStateError.Code
        let stage: AuthStateError.Stage
    }

    /// - Parameter advise: Adds advice in this program's words.
    init(_ console: Console, traces: Bool, advise: @escaping @Sendable (AuthStateError) async -> AuthStateError) {
        (self.console, self.traces, self.advise) = (console, traces, advise)
    }

    /// Tells of a failure, unless the request before had the same; nil is a success. Returns the error with advice.
    @discardableResult
    func note(_ error: AuthStateError) async -> AuthStateError {
        let error = await advise(error)
        let kind = Kind(code: error.code, stage: error.stage)
        let isNew = last.withLock { last in
            defer { last = kind }
            return last != kind
        }
        if isNew { console.note("authstate: \(error)") }
        return error
    }

    /// Tells of a failure; nil is a success.
    func note(_ error: AuthStateError?) async {
        if let error { await note(error) } else { last.withLock { $0 = nil } }
    }

    /// Tells of an answered request: method, path without key and query, status and time.
    func trace(_ head: ProxyHead, _ url: URL?, _ status: Int, since start: ContinuousClock.Instant) {
        guard traces else { return }
        let time = Int((ContinuousClock.now - start) / .milliseconds(1))
        let place = url.map { " \($0.path(percentEncoded: true))" } ?? ""
        console.note("trace: proxy: \(head.kind.printable())\(place) \(status) \(time) ms")
    }
}
