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

    private var line: [UInt8] = []
    private var isFirstLine = true
    private var endedWithCR = false
    private var name = ""
    private var data: [String] = []

    /// Makes a parser at the beginning of a stream.
    public init() {}

    /// Reads a chunk, and returns the events that it completes. An event ends with an empty line: one that the stream breaks
    /// off is never returned.
    public mutating func read(_ chunk: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in chunk {
            // CR, LF and CR LF each end a line; the two of the last may lie in different chunks.
            let isRestOfEnd = endedWithCR && byte == UInt8(ascii: "\n")
            endedWithCR = byte == UInt8(ascii: "\r")
            if isRestOfEnd { continue }
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                line.append(byte)
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        var text = String(decoding: line, as: UTF8.self)
        line = []
        if isFirstLine, text.hasPrefix("\u{FEFF}") { text.removeFirst() }
        isFirstLine = false
        guard !text.isEmpty else { return endEvent() }
        let field = text.prefix { $0 != ":" }
        var value = text.dropFirst(field.count + 1)
        if value.hasPrefix(" ") { value = value.dropFirst() }
        // A line that begins with a colon is a comment; `id` and `retry` are for streams that are resumed.
        switch field {
        case "event": name = String(value)
        case "data": data.append(String(value))
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer { (name, data) = ("", []) }
        guard !data.isEmpty else { return nil }
        return Event(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
    }
}
