import AuthStateKit
import AuthStatePlatform
import NIOCore
import NIOHTTP1

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
            if forwarder.gate.port == nil {
                guard await ProxySocket.isOfThisUser(connection.channel) else { return }
            }
            var parts = inbound.makeAsyncIterator()
            var isKnown = false
            while try await serveRequest(&parts, outbound, &isKnown) {}
        }
        places.leave(connection.channel)
    }

    private typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    private typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// A request whose head has come.
    private struct Asked: Sendable {
        let head: ProxyHead
        let target: Result<URL, ProxyFailure>
        let start = ContinuousClock.now
        /// Whether the program has shown the key.
        let isKnown: Bool
        /// Whether the connection ends with the answer.
        let isLast: Bool
        let knowsChunks: Bool
        let isConfirmed: Bool?
    }

    /// Serves one request; returns whether another one may follow.
    ///
    /// - Parameter isKnown: Whether the program has shown the key; else it has little time for a request.
    private func serveRequest(_ parts: inout Parts, _ outbound: Writer, _ isKnown: inout Bool) async throws -> Bool {
        let first = closing(isKnown: isKnown)
        defer { first.cancel() }
        guard case .head(let head)? = try await parts.next() else { return false }
        let request = ProxyHead(head)
        var target = judge(request)
        if case .success = target, !isKnown {
            isKnown = true
            places.identify(connection.channel)
        }
        first.cancel()
        var isConfirmed: Bool?
        if case .success(let url) = target, let confirmation = forwarder.confirmation {
            let path = url.path(percentEncoded: true)
            isConfirmed = try await work.run { await confirmation.allows(request.kind, path) }
            if isConfirmed == false { target = .failure(.unconfirmed.at(path)) }
        }
        let isRefusedAtOnce = (try? target.get()) == nil && request.isAnsweredAtOnce
        let asked = Asked(
            head: request, target: target, isKnown: isKnown,
            isLast: !head.isKeepAlive || isRefusedAtOnce || request.opensWebSocket,
            knowsChunks: head.version == .http1_1, isConfirmed: isConfirmed)
        switch target {
        case .failure(let failure):
            if !isRefusedAtOnce, !(try await skip(&parts, isKnown: isKnown)) { return false }
            if failure.isTold { await forwarder.log.note(failure.error) }
            return try await answer(asked, with: failure.answer, outbound)
        case .success(let url):
            if !request.expectations.isEmpty {
                try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
            }
            guard let beginning = try await beginning(of: &parts) else { return false }
            if request.opensWebSocket { return try await upgrade(asked, to: url, outbound) }
            if beginning.isWhole { return try await forward(asked, .whole(beginning.bytes), to: url, outbound) }
            let upload = ProxyUpload(beginning.bytes)
            async let goesOn = forward(asked, .streamed(upload.body(count: request.length)), to: url, outbound)
            let isWhole = await pass(&parts, to: upload)
            return try await goesOn && isWhole
        }
    }

    /// Passes a request on, and sends the answer; returns whether another request may follow.
    private func forward(_ asked: Asked, _ body: ProxyBody, to url: URL, _ outbound: Writer) async throws -> Bool {
        let interim = ProxyInterim(connection.channel)
        let answer = try await StreamedResponse.$onInterim.withValue(asked.knowsChunks ? interim.pass : nil) {
            try await work.run { [forwarder] in await forwarder.answer(to: asked.head, body, at: url) }
        }
        interim.end()
        do { return try await self.answer(asked, with: answer, outbound) } catch {
            // A program that still sends its request need not go on.
            connection.channel.close(promise: nil)
            throw error
        }
    }

    /// Passes on a request that opens a WebSocket: after the API's 101 all bytes pass, until either side ends. The connection ends
    /// with it.
    private func upgrade(_ asked: Asked, to url: URL, _ outbound: Writer) async throws -> Bool {
        let upgrade = ProxyUpgrade(on: connection.channel.eventLoop)
        defer { upgrade.close() }
        let answer = try await work.run { [forwarder] in
            await forwarder.answer(to: asked.head, .whole(Data()), at: url, upgrade)
        }
        guard let api = upgrade.end, answer.status == 101 else {
            return try await self.answer(asked, with: answer, outbound)
        }
        forwarder.log.trace(asked.head, url, answer.status, since: asked.start)
        let (channel, tally) = (connection.channel, ProxyTunnel.Tally())
        let limit = TimeAmount.milliseconds(Int64(forwarder.limit * 1000))
        await withTaskCancellationHandler {
            let deadline = closing(isKnown: true)
            do {
                let head = answer.parts(isLast: false)[0]
                try await channel.eventLoop.submit {
                    let end = try channel.pipeline.syncOperations.handler(type: ProxyTunnel.self)
                    let written = channel.writeAndFlush(head)
                    // A program may send its first message as soon as it has the head.
                    end.join(api.value, limit: limit, tally)
                    return written
                }.flatMap { $0 }.get()
                deadline.cancel()
            } catch { channel.close(promise: nil) }
            try? await channel.closeFuture.get()
        } onCancel: {
            channel.close(promise: nil)
        }
        let reason = Task.isCancelled ? .proxy : tally.end ?? .program
        let end = ProxyAudit.End(
            status: answer.status, bytes: tally.bytes, reason: reason, isConfirmed: asked.isConfirmed)
        await note(end, of: asked.head, asked.target)
        return false
    }

    /// Sends an answer, and writes its line of the audit; returns whether another request may follow.
    private func answer(_ asked: Asked, with answer: ProxyAnswer, _ outbound: Writer) async throws -> Bool {
        var (answer, isLast) = (answer, asked.isLast)
        forwarder.log.trace(asked.head, try? asked.target.get(), answer.status, since: asked.start)
        var end = ProxyAudit.End(status: answer.status, isConfirmed: asked.isConfirmed)
        do {
            if answer.frame(forChunks: asked.knowsChunks) { isLast = true }
            try await send(answer, isLast: isLast, isKnown: asked.isKnown, to: outbound, &end)
            end.reason = .whole
        } catch {
            end.reason = error is TransportError ? .api : Task.isCancelled ? .proxy : .program
            if end.reason != .api, end.bytes == 0 { end.status = nil }
            await note(end, of: asked.head, asked.target)
            throw error
        }
        await note(end, of: asked.head, asked.target)
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
        if !audit.note(request.kind, path, end) { await forwarder.log.note(ProxyFailure.audit.error) }
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
        // Behind chunks alone there is a place for trailers.
        let isChunked = answer.headers["Transfer-Encoding"] != nil
        let trailers = isChunked ? answer.rest.map { ProxyHeaders.trailers($0.trailers) } ?? [:] : [:]
        let part = HTTPServerResponsePart.end(
            trailers == [:] ? nil : HTTPHeaders(trailers.map { ($0.name, $0.value) }))
        // The connection may be closed when everything is sent, and not when it waits to be.
        if isLast {
            try await connection.channel.writeAndFlush(part).get()
        } else {
            try await outbound.write(part)
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

    /// Decides about a request. One with the key, which has a line in the audit, needs a file that takes lines.
    private func judge(_ request: ProxyHead) -> Result<URL, ProxyFailure> {
        let target = Result { () throws(ProxyFailure) in try forwarder.gate.url(for: request) }
        if case .failure(let failure) = target, failure.path == nil { return target }
        return forwarder.audit?.canWrite == false ? .failure(.audit) : target
    }

    /// Reads a body until it ends, or has more bytes than are kept; returns nil when the connection ends before.
    private func beginning(of parts: inout Parts) async throws -> (bytes: Data, isWhole: Bool)? {
        var bytes = Data()
        while bytes.count <= ProxyLimits.keptBytes {
            switch try await next(&parts) {
            case .body(let piece): bytes.append(contentsOf: piece.readableBytesView)
            case .end: return (bytes, true)
            case .head, nil: return nil
            }
        }
        return (bytes, false)
    }

    /// Passes the rest of a body on as it is asked for, and skips what is not; returns whether it has come whole.
    private func pass(_ parts: inout Parts, to upload: ProxyUpload) async -> Bool {
        do {
            for await _ in upload.asked {
                switch try await next(&parts) {
                case .body(let piece): upload.give(Data(piece.readableBytesView))
                case .end:
                    upload.finish()
                    return true
                case .head, nil: throw CancellationError()
                }
            }
            return try await skip(&parts, isKnown: true)
        } catch {
            // What the server has is no whole request, and the program gets no answer to it.
            connection.channel.close(promise: nil)
            try? await connection.channel.closeFuture.get()
            upload.finish(throwing: CancellationError())
            return false
        }
    }

    /// Reads a request to its end without keeping it; returns whether that comes.
    private func skip(_ parts: inout Parts, isKnown: Bool) async throws -> Bool {
        let deadline = closing(isKnown: isKnown)
        defer { deadline.cancel() }
        while let part = try await parts.next() { if case .end = part { return true } }
        return false
    }

    /// Returns the next part of a request, for which the program has `--timeout`.
    private func next(_ parts: inout Parts) async throws -> HTTPServerRequestPart? {
        let deadline = closing(isKnown: true)
        defer { deadline.cancel() }
        return try await parts.next()
    }

    /// Closes the connection when the time for the program is over, unless it is cancelled before.
    private func closing(isKnown: Bool) -> Scheduled<Void> {
        let channel = connection.channel
        let seconds = isKnown ? forwarder.limit : min(forwarder.limit, ProxyLimits.strangerSeconds)
        let limit = TimeAmount.milliseconds(Int64(seconds * 1000))
        return channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }
}
