/// Reads HTTP/1.1 requests from bytes as they come (RFC 9112): a pure value, strict, bounded, and safe on any input.
///
/// Bare line feeds, folded lines, control characters, absolute targets and repeated lengths are refused rather than
/// interpreted: a request that can be read in two ways can be made to be read in the wrong one.
package struct LoopbackRequestParser: Sendable {
    package enum Outcome: Sendable, Hashable {
        /// The request is not complete.
        case needMore
        /// One request; bytes after it are kept for the next call.
        case request(LoopbackRequest)
        /// The bytes are refused with this status; nothing after them can be understood.
        case failure(status: Int)
    }

    private let limits: LoopbackLimits
    private let address: LoopbackAddress
    private var buffer: [UInt8] = []
    /// Bytes of the head that were looked at already, so that a slow sender costs no more than a fast one.
    private var scanned = 0
    private var lineStart = 0
    private var hasSkippedLine = false
    private var head: LoopbackRequestHead?
    private var failure: Int?

    package init(limits: LoopbackLimits = LoopbackLimits(), address: LoopbackAddress = .ipv4) {
        (self.limits, self.address) = (limits, address)
    }

    /// Whether a request has begun and is not complete.
    package var isInsideRequest: Bool { head != nil || !buffer.isEmpty }

    /// The bytes that are held.
    package var bufferedBytes: Int { buffer.count }

    /// Adds bytes and returns the first complete request; call it with none for the next one.
    package mutating func feed(_ bytes: some Collection<UInt8>) -> Outcome {
        if let failure { return .failure(status: failure) }
        buffer.append(contentsOf: bytes)
        do {
            if head == nil { head = try readHead() }
            guard let head, buffer.count >= head.contentLength else { return .needMore }
            let body = Array(buffer.prefix(head.contentLength))
            buffer.removeFirst(body.count)
            self.head = nil
            return .request(
                LoopbackRequest(
                    method: head.method, target: head.target, headers: head.headers, body: body,
                    localAddress: address, keepsAlive: head.keepsAlive))
        } catch {
            failure = error.status
            buffer = []
            return .failure(status: error.status)
        }
    }

    /// Looks for the empty line that ends the head, and takes the head out of the buffer.
    private mutating func readHead() throws(LoopbackRefusal) -> LoopbackRequestHead? {
        while scanned < buffer.count {
            guard scanned < limits.headBytes else { throw LoopbackRefusal(431) }
            let byte = buffer[scanned]
            if scanned > 0, buffer[scanned - 1] == .carriageReturn, byte != .lineFeed { throw LoopbackRefusal(400) }
            scanned += 1
            switch byte {
            case .lineFeed:
                guard scanned >= 2, buffer[scanned - 2] == .carriageReturn else { throw LoopbackRefusal(400) }
                if let head = try endLine() { return head }
            case .carriageReturn, .tab, 0x20...0x7E, 0x80...0xFF: continue
            default: throw LoopbackRefusal(400)
            }
        }
        return nil
    }

    private mutating func endLine() throws(LoopbackRefusal) -> LoopbackRequestHead? {
        let isEmpty = scanned - lineStart == 2
        let start = lineStart
        lineStart = scanned
        guard isEmpty else { return nil }
        let lines = buffer[..<start]
        buffer.removeFirst(scanned)
        (scanned, lineStart) = (0, 0)
        // One empty line before the request line is skipped (RFC 9112, section 2.2).
        guard !lines.isEmpty || hasSkippedLine else {
            hasSkippedLine = true
            return nil
        }
        hasSkippedLine = false
        let head = try LoopbackRequestHead(lines: lines)
        guard head.contentLength <= limits.bodyBytes else { throw LoopbackRefusal(413) }
        return head
    }
}

/// The status that a request is refused with.
struct LoopbackRefusal: Error {
    let status: Int
    init(_ status: Int) { self.status = status }
}
