extension JSONValue {
    /// Reads one JSON document strictly (RFC 8259).
    ///
    /// Refused: bytes that are not UTF-8, a byte order mark, duplicate member names, anything after the value,
    /// surrogates without their partner, numbers that are too long or beyond a double's range, and nesting deeper than
    /// `maximumDepth` (never more than 512). The time taken grows linearly with the document.
    public init(parsing bytes: some Collection<UInt8>, maximumDepth: Int = 64) throws(JSONError) {
        self = try Array(bytes).withUnsafeBufferPointer { bytes throws(JSONError) in
            var parser = JSONParser(bytes: bytes, maximumDepth: min(maximumDepth, 512))
            return try parser.parseDocument()
        }
    }
}

/// A recursive descent over the bytes of one document.
struct JSONParser {
    /// The document. Every access is behind a comparison with its count, because release builds check no bounds here.
    let bytes: UnsafeBufferPointer<UInt8>
    let maximumDepth: Int
    var position = 0
    /// The complete members of the objects that are not closed yet.
    private var members: [Member] = []

    private struct Member {
        let name: String
        /// The offset of the name.
        let start: Int
        let value: JSONValue
    }

    init(bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        members.reserveCapacity(16)
    }

    /// The byte to read next; zero, which no JSON text has outside strings, at the end.
    var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    func failure(_ message: String) -> JSONError {
        JSONError(position < bytes.count ? message : "the document ends too early", at: position)
    }

    mutating func parseDocument() throws(JSONError) -> JSONValue {
        skipWhiteSpace()
        let value = try parseValue(depth: 0)
        skipWhiteSpace()
        guard position == bytes.count else { throw failure("something follows the value") }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return .object(try parseObject(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try parseArray(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber())
        case UInt8(ascii: "t"): return try parseLiteral("true", as: .bool(true))
        case UInt8(ascii: "f"): return try parseLiteral("false", as: .bool(false))
        case UInt8(ascii: "n"): return try parseLiteral("null", as: .null)
        default: throw failure("no value starts like this")
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONError) -> [String: JSONValue] {
        let first = members.count
        defer { members.removeLast(members.count - first) }
        do throws(JSONError) {
            try parseMembers(depth: depth)
        } catch {
            // A name that occurred twice before this error is the one to report.
            _ = try table(of: members[first...])
            throw error
        }
        return try table(of: members[first...])
    }

    private mutating func parseMembers(depth: Int) throws(JSONError) {
        try open(depth: depth)
        if consume(UInt8(ascii: "}")) { return }
        repeat {
            skipWhiteSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("a member has no name") }
            let start = position
            let name = try parseString()
            skipWhiteSpace()
            guard consume(UInt8(ascii: ":")) else { throw failure("a member's name has no colon after it") }
            skipWhiteSpace()
            members.append(Member(name: name, start: start, value: try parseValue(depth: depth)))
            skipWhiteSpace()
        } while consume(UInt8(ascii: ","))
        guard consume(UInt8(ascii: "}")) else { throw failure("an object is not closed") }
    }

    /// Makes the dictionary of an object once the number of members is known: growing it would hash each name twice.
    private func table(of members: ArraySlice<Member>) throws(JSONError) -> [String: JSONValue] {
        var table: [String: JSONValue] = Dictionary(minimumCapacity: members.count)
        for member in members {
            let earlier = table.updateValue(member.value, forKey: member.name)
            guard TrustCheck.duplicateMembers.holds(earlier == nil) else {
                throw JSONError("a member name occurs twice", at: member.start)
            }
        }
        return table
    }

    private mutating func parseArray(depth: Int) throws(JSONError) -> [JSONValue] {
        try open(depth: depth)
        var elements: [JSONValue] = []
        if consume(UInt8(ascii: "]")) { return elements }
        repeat {
            skipWhiteSpace()
            elements.append(try parseValue(depth: depth))
            skipWhiteSpace()
        } while consume(UInt8(ascii: ","))
        guard consume(UInt8(ascii: "]")) else { throw failure("an array is not closed") }
        return elements
    }

    /// Steps over an opening bracket, which is as deep as `depth`.
    private mutating func open(depth: Int) throws(JSONError) {
        guard depth <= maximumDepth else { throw failure("nested too deeply") }
        position += 1
        skipWhiteSpace()
    }

    private mutating func parseLiteral(_ literal: StaticString, as value: JSONValue) throws(JSONError) -> JSONValue {
        let end = position + literal.utf8CodeUnitCount
        let matches = literal.withUTF8Buffer { expected in
            end <= bytes.count && bytes[position..<end].elementsEqual(expected)
        }
        guard matches else { throw failure("no value starts like this") }
        position = end
        return value
    }

    private mutating func skipWhiteSpace() {
        // Most documents have none; what follows is then told by one comparison.
        while next <= 0x20, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
    }

    mutating func consume(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }
}

extension TrustCheck {
    /// JSON: no object has a member twice (RFC 7515, section 4; RFC 7519, section 4).
    package static let duplicateMembers = TrustCheck("duplicateMembers")
}
