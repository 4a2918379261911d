import AuthStateLibc
import AuthStateOAuth

/// One connection of a server: one request at a time, its answer, then the next request.
struct LoopbackConnection: Sendable {
    /// The server's next step.
    enum Event {
        case none
        case request(LoopbackRequest)
        case close
    }

    private enum Phase {
        case reading
        /// The handler has the request.
        case handling
        case writing(then: AfterWriting)
        /// Nothing more is sent; further input is thrown away, so that the close does not reset the answer.
        case draining
        /// A fault: nothing more happens until the client leaves.
        case hanging
    }

    private enum AfterWriting {
        case read
        case drain
        case hang
    }

    typealias Instant = ContinuousClock.Instant

    let id: UInt64
    let descriptor: Int32
    /// The time at which the server closes it; nil while the handler has the request.
    private(set) var deadline: Instant?
    private let limits: LoopbackLimits
    private var parser: LoopbackRequestParser
    private var phase = Phase.reading
    private var requestCount: UInt64 = 0
    private var omitsBody = false
    private var keepsAlive = false
    /// Bytes that came while the handler had the request.
    private var pipelined: [UInt8] = []
    private var output: ArraySlice<UInt8> = []

    init(id: UInt64, descriptor: Int32, address: LoopbackAddress, limits: LoopbackLimits, now: Instant) {
        (self.id, self.descriptor, self.limits) = (id, descriptor, limits)
        parser = LoopbackRequestParser(limits: limits, address: address)
        deadline = now + limits.idle
    }

    /// The ticket of the request that was read last.
    var ticket: LoopbackTicket { LoopbackTicket(connection: id, request: requestCount) }

    /// Whether it waits for a request and can be closed for another connection.
    var isReading: Bool { if case .reading = phase { true } else { false } }

    /// Whether it has something to send, or waits for the client to have read it.
    var isFinishing: Bool {
        switch phase {
        case .writing, .draining: true
        case .reading, .handling, .hanging: false
        }
    }

    /// The events to poll for.
    var events: Int16 {
        switch phase {
        case .writing: Int16(POLLOUT)
        case .handling where pipelined.count >= limits.headBytes: 0
        case .reading, .handling, .draining, .hanging: Int16(POLLIN)
        }
    }

    /// Goes on after `poll` has reported something.
    mutating func proceed(buffer: inout [UInt8], now: Instant) -> Event {
        if case .writing = phase { return flush(now) }
        guard let count = LoopbackSocket.receive(descriptor, into: &buffer) else {
            return LoopbackSocket.isTemporaryError ? .none : .close
        }
        // The client has left: an answer would have no reader.
        guard count > 0 else { return .close }
        switch phase {
        case .reading: return parse(buffer[..<count], now)
        case .handling: pipelined += buffer[..<count]
        case .writing, .draining, .hanging: break
        }
        return .none
    }

    /// Sends the handler's answer, if it is for the request that is being handled.
    mutating func answer(_ answer: LoopbackAnswer, for ticket: LoopbackTicket, now: Instant) -> Event {
        guard case .handling = phase, ticket == self.ticket else { return .none }
        switch answer {
        case .response(let response): return send(response, now)
        case .fault(.close): return .close
        case .fault(.reset):
            LoopbackSocket.resetOnClose(descriptor)
            return .close
        case .fault(.raw(let bytes, let thenClose)): return send(bytes, then: thenClose ? .drain : .hang, now)
        }
    }

    private mutating func parse(_ bytes: ArraySlice<UInt8>, _ now: Instant) -> Event {
        let wasInsideRequest = parser.isInsideRequest
        switch parser.feed(bytes) {
        case .needMore:
            if !wasInsideRequest { deadline = now + limits.idle }
            return .none
        case .request(let request):
            phase = .handling
            deadline = nil
            requestCount += 1
            omitsBody = request.method == "HEAD"
            keepsAlive = request.keepsAlive
            return .request(request)
        case .failure(let status):
            (omitsBody, keepsAlive) = (false, false)
            return send(LoopbackResponse(status: status), now)
        }
    }

    private mutating func send(_ response: LoopbackResponse, _ now: Instant) -> Event {
        let closes = !keepsAlive || response.asksToClose
        return send(response.bytes(omitsBody: omitsBody, closes: closes), then: closes ? .drain : .read, now)
    }

    private mutating func send(_ bytes: [UInt8], then next: AfterWriting, _ now: Instant) -> Event {
        output = bytes[...]
        phase = .writing(then: next)
        deadline = now + limits.idle
        return flush(now)
    }

    private mutating func flush(_ now: Instant) -> Event {
        guard case .writing(let next) = phase else { return .none }
        while !output.isEmpty {
            guard let count = LoopbackSocket.transmit(descriptor, output) else {
                return LoopbackSocket.isTemporaryError ? .none : .close
            }
            output = output.dropFirst(count)
            deadline = now + limits.idle
        }
        output = []
        switch next {
        case .read:
            phase = .reading
            deadline = now + limits.idle
            defer { pipelined = [] }
            return parse(pipelined[...], now)
        case .drain:
            phase = .draining
            deadline = now + .milliseconds(500)
            shutdown(descriptor, Int32(SHUT_WR))
        case .hang:
            phase = .hanging
            deadline = nil
        }
        return .none
    }
}
