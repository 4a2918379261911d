import AuthStateKit
import AuthStatePlatform
import NIOCore
import NIOHTTP1
import Synchronization

/// One connection of a program: requests and answers in turn.
struct ProxyConnection: Sendable {
    private let connection: ProxyServer.Connection
    private let forwarder: ProxyForwarder
    private let places: ProxyPlaces
    private let work = ProxyWork()

    init(_ connection: ProxyServer.Connection, _ forwarder: ProxyForwarder, _ places: ProxyPlaces) {
        (self.connection, self.forwarder, self.places) = (connection, forwarder, places)
    }

    /// Serves the connection to its end. An error is that of the connection, and ends it.
    func serve() async {
        connection.channel.closeFuture.whenComplete { [work] _ in work.cancel() }
        try? await connection.executeThenClose { inbound, outbound in
            var parts = inbound.makeAsyncIterator()
            var isKnown = false
            while try await serveRequest(&parts, outbound, &isKnown) {}
        }
        places.leave(connection.channel)
    }

    private typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    private typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// Serves one request; returns whether another one may follow.
    ///
    /// - Parameter isKnown: Whether the program has shown the key; else it has little time for a request.
    private func serveRequest(_ parts: inout Parts, _ outbound: Writer, _ isKnown: inout Bool) async throws -> Bool {
        let first = closing(isKnown: isKnown)
        defer { first.cancel() }
        guard case .head(let head)? = try await parts.next() else { return false }
        let start = ContinuousClock.now
        let request = ProxyHead(head)
        let target = judge(request)
        if case .success = target, !isKnown {
            isKnown = true
            places.leave(connection.channel)
        }
        first.cancel()
        let deadline = closing(isKnown: isKnown)
        defer { deadline.cancel() }
        var isLast = !head.isKeepAlive
        var body: Data?
        if case .failure = target, request.isAnsweredAtOnce {
            isLast = true
        } else {
            if case .success = target, !request.expectations.isEmpty {
                try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
            }
            guard let end = try await Self.end(of: &parts, keepsBody: (try? target.get()) != nil) else { return false }
            body = end.body
        }
        deadline.cancel()

        var answer: ProxyAnswer =
            switch (target, body) {
            case (.failure(let failure), _): failure.answer
            case (.success, nil): ProxyFailure.body.answer
            case (.success(let url), let body?):
                try await work.run { [forwarder] in await forwarder.answer(to: request, body, at: url) }
            }
        forwarder.log.trace(request, try? target.get(), answer.status, since: start)
        if case .failure(let failure) = target, failure.isTold { await forwarder.log.note(failure.error) }
        var end = ProxyAudit.End(status: answer.status)
        do {
            if answer.frame(forChunks: head.version == .http1_1) { isLast = true }
            try await send(answer, isLast: isLast, isKnown: isKnown, to: outbound, &end)
            end.reason = .whole
        } catch {
            end.reason = error is TransportError ? .api : Task.isCancelled ? .proxy : .program
            if end.reason != .api, end.bytes == 0 { end.status = nil }
            await note(end, of: request, target)
            throw error
        }
        await note(end, of: request, target)
        return !isLast
    }

    /// Writes a line of the audit for a request that came with the key.
    private func note(_ end: ProxyAudit.End, of request: ProxyHead, _ target: Result<URL, ProxyFailure>) async {
        let path: String? =
            switch target {
            case .success(let url): url.path(percentEncoded: true)
            case .failure(let failure): failure.path
            }
        guard let audit = forwarder.audit, let path else { return }
        if !audit.note(request.method, path, end) { await forwarder.log.note(ProxyFailure.audit.error) }
    }

    /// Sends an answer, and its rest as it comes. The API has any time for a piece, the program `--timeout` to take it.
    ///
    /// - Throws: The error of either connection: the program sees that the body is not whole, because its connection ends.
    private func send(
        _ answer: ProxyAnswer, isLast: Bool, isKnown: Bool, to outbound: Writer, _ end: inout ProxyAudit.End
    ) async throws {
        let beginning = closing(isKnown: isKnown)
        defer { beginning.cancel() }
        try await outbound.write(contentsOf: answer.parts(isLast: isLast))
        beginning.cancel()
        end.bytes = answer.body.count
        if let rest = answer.rest {
            let length = answer.headers["Content-Length"].flatMap { Int($0) }
            do {
                try await send(rest, of: length, to: outbound, &end)
            } catch let error as TransportError {
                await forwarder.log.note(
                    AuthStateError(.connectionLost, stage: .resource, "The API's answer broke off.", underlying: error))
                // The end of the connection is that of the body: a reset tells a program the difference.
                if isLast {
                    let linger = linger(l_onoff: 1, l_linger: 0)
                    try? await (connection.channel as? any SocketOptionProvider)?.setSoLinger(linger).get()
                }
                throw error
            }
        }
        let last = closing(isKnown: isKnown)
        defer { last.cancel() }
        // The connection may be closed when everything is sent, and not when it waits to be.
        if isLast {
            try await connection.channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
        } else {
            try await outbound.write(.end(nil))
        }
    }

    /// - Parameter length: The bytes that the head has announced; nil for none.
    private func send(
        _ rest: StreamedResponse, of length: Int?, to outbound: Writer, _ end: inout ProxyAudit.End
    ) async throws {
        let otherLength = TransportError(
            .connectionLost, "The body has another length than was announced.", requestMayHaveBeenSent: true)
        while true {
            let piece = try await work.run {
                var pieces = rest.makeAsyncIterator()
                return try await pieces.next()
            }
            guard let piece else {
                if let length, end.bytes != length { throw otherLength }
                return
            }
            // More bytes would be taken for the next answer.
            if let length, piece.count > length - end.bytes { throw otherLength }
            let deadline = closing(isKnown: true)
            defer { deadline.cancel() }
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
            end.bytes += piece.count
        }
    }

    private func judge(_ request: ProxyHead) -> Result<URL, ProxyFailure> {
        do {
            let url = try forwarder.gate.url(for: request)
            if forwarder.audit?.canWrite == false { return .failure(.audit) }
            return request.isTooLarge ? .failure(.body.at(url.path(percentEncoded: true))) : .success(url)
        } catch { return .failure(error) }
    }

    /// The end of a request.
    private struct End {
        /// The body; nil when it was not kept, or was too large.
        let body: Data?
    }

    /// Reads a request to its end; returns nil when the connection ends before it.
    private static func end(of parts: inout Parts, keepsBody: Bool) async throws -> End? {
        var body = keepsBody ? Data() : nil
        while let part = try await parts.next() {
            switch part {
            case .head: return nil
            case .body(let bytes):
                body?.append(contentsOf: bytes.readableBytesView)
                if body?.count ?? 0 > ProxyLimits.requestBytes { body = nil }
            case .end: return End(body: body)
            }
        }
        return nil
    }

    /// Closes the connection when the time for the program is over, unless it is cancelled before.
    private func closing(isKnown: Bool) -> Scheduled<Void> {
        let channel = connection.channel
        let seconds = isKnown ? forwarder.limit : min(forwarder.limit, ProxyLimits.strangerSeconds)
        let limit = TimeAmount.milliseconds(Int64(seconds * 1000))
        return channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }
}

/// The work in progress of a connection.
private final class ProxyWork: Sendable {
    private let state = Mutex<(cancel: (@Sendable () -> Void)?, isOver: Bool)>((nil, false))

    /// Runs a body that `cancel()` can cancel; also the caller's task does.
    func run<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        let task = Task { try await body() }
        let isOver = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.isOver
        }
        if isOver { task.cancel() }
        defer { state.withLock { $0.cancel = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Cancels the work, and what is begun later: the program has closed the connection.
    func cancel() {
        let cancel = state.withLock { state in
            state.isOver = true
            return state.cancel
        }
        cancel?()
    }
}

extension ProxyHead {
    /// The head of NIO's.
    init(_ head: HTTPRequestHead) {
        method = head.method.rawValue
        target = head.uri
        for field in head.headers { headers.append(field.name, field.value) }
    }
}
