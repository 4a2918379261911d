public import Foundation

/// Reads server-sent events (HTML Living Standard, section 9.2) from chunks of any size.
public struct EventStreamParser: Sendable {
    /// One event.
    public struct Event: Sendable, Hashable {
        /// The type.
        public var name: String
        /// The data as it came, its lines joined by newlines; one line shares the memory of its chunk.
        public var bytes: Data

        /// The data as text.
        public var data: String { String(decoding: bytes, as: UTF8.self) }

        /// Makes an event.
        public init(name: String = "message", data: String) { self.init(name: name, bytes: Data(data.utf8)) }

        init(name: String, bytes: Data) { (self.name, self.bytes) = (name, bytes) }
    }

    /// The identifier of the last event, also of one without data: where a stream that breaks is resumed.
    public private(set) var lastEventID: String?
    /// The time to wait before a stream is resumed, in milliseconds; nil where the server has not said.
    public private(set) var retry: Int?
    /// The bytes of the line and of the data that wait for the end of an event.
    public var waitingBytes: Int { line.count + (data?.count ?? 0) }

    /// The beginning of a line whose end has not come.
    private var line = Data()
    private var isFirstLine = true
    private var endedWithCR = false
    private var name = ""
    private var id: String?
    private var data: Data?

    /// Makes a parser at the beginning of a stream.
    public init() {}

    /// Reads a chunk, and returns the events that it completes. An event ends with an empty line: one that the stream breaks
    /// off is never returned.
    public mutating func read(_ chunk: Data) -> [Event] {
        var events: [Event] = []
        var rest = chunk
        // CR, LF and CR LF each end a line; the two of the last may lie in different chunks.
        if endedWithCR, let first = rest.first {
            if first == UInt8(ascii: "\n") { rest = rest.dropFirst() }
            endedWithCR = false
        }
        while let end = Self.lineEnd(of: rest) {
            line.add(rest[..<end])
            let isCR = rest[end] == UInt8(ascii: "\r")
            rest = rest[(end + 1)...]
            if isCR {
                endedWithCR = rest.isEmpty
                if rest.first == UInt8(ascii: "\n") { rest = rest.dropFirst() }
            }
            if let event = endLine() { events.append(event) }
        }
        line.add(rest)
        return events
    }

    private static func lineEnd(of bytes: Data) -> Int? {
        bytes.withUnsafeBytes { bytes in
            bytes.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        }.map { bytes.startIndex + $0 }
    }

    private mutating func endLine() -> Event? {
        var line = line
        self.line = Data()
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return endEvent() }
        let field = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(field.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // A line that begins with a colon is a comment.
        switch String(decoding: field, as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            guard var lines = data.take() else {
                data = value
                break
            }
            lines.append(UInt8(ascii: "\n"))
            lines.append(value)
            data = lines
        case "id": if value.firstIndex(of: 0) == nil { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            if value.allSatisfy({ (0x30...0x39).contains($0) }) {
                retry = Int(String(decoding: value, as: UTF8.self)) ?? retry
            }
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer { (name, data) = ("", nil) }
        lastEventID = id
        return data.map { Event(name: name.isEmpty ? "message" : name, bytes: $0) }
    }
}

extension Data {
    /// Appends bytes; nothing is copied where there were none.
    fileprivate mutating func add(_ piece: Data) {
        if piece.isEmpty { return }
        if isEmpty { self = piece } else { append(piece) }
    }
}
