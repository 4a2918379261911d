/// Reads server-sent events (HTML Living Standard, section 9.2) from chunks of any size.
public struct EventStreamParser: Sendable {
    /// One event.
    public struct Event: Sendable, Hashable {
        /// The type.
        public var name: String
        /// The data, its lines joined by newlines.
        public var data: String

        /// Makes an event.
        public init(name: String = "message", data: String) {
            self.name = name
            self.data = data
        }
    }

    /// The identifier of the last event, also of one without data: where a stream that breaks is resumed.
    public private(set) var lastEventID: String?
    /// The time to wait before a stream is resumed, in milliseconds; nil where the server has not said.
    public private(set) var retry: Int?
    /// The memory that waits for the end of an event, in bytes: its data, and a cost for each of its lines.
    public var waitingBytes: Int { line.count + dataBytes }

    private var line: [UInt8] = []
    private var isFirstLine = true
    private var endedWithCR = false
    private var name = ""
    private var id: String?
    private var data: [String] = []
    private var dataBytes = 0

    /// The memory of a line beside its text.
    private static let lineCost = 16

    /// Makes a parser at the beginning of a stream.
    public init() {}

    /// Reads a chunk, and returns the events that it completes. An event ends with an empty line: one that the stream breaks
    /// off is never returned.
    public mutating func read(_ chunk: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        var rest = Array(chunk)[...]
        // CR, LF and CR LF each end a line; the two of the last may lie in different chunks.
        if endedWithCR, rest.first == UInt8(ascii: "\n") { rest = rest.dropFirst() }
        if !rest.isEmpty { endedWithCR = false }
        while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            line += rest[..<end]
            let isCR = rest[end] == UInt8(ascii: "\r")
            rest = rest[(end + 1)...]
            if isCR {
                endedWithCR = rest.isEmpty
                if rest.first == UInt8(ascii: "\n") { rest = rest.dropFirst() }
            }
            if let event = endLine() { events.append(event) }
        }
        line += rest
        return events
    }

    private mutating func endLine() -> Event? {
        var text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: line.count < 1 << 16)
        if isFirstLine, text.hasPrefix("\u{FEFF}") { text.removeFirst() }
        isFirstLine = false
        guard !text.isEmpty else { return endEvent() }
        let field = text.prefix { $0 != ":" }
        var value = text.dropFirst(field.count + 1)
        if value.hasPrefix(" ") { value = value.dropFirst() }
        // A line that begins with a colon is a comment.
        switch field {
        case "event": name = String(value)
        case "data":
            data.append(String(value))
            dataBytes += value.utf8.count + Self.lineCost
        case "id": if !value.utf8.contains(0) { id = String(value) }
        case "retry": if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { retry = Int(value) ?? retry }
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer { (name, data, dataBytes) = ("", [], 0) }
        lastEventID = id
        guard !data.isEmpty else { return nil }
        return Event(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
    }
}
