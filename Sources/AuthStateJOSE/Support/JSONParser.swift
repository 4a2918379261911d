import AuthStateLibc

extension JSONValue {
    /// Reads one JSON document strictly (RFC 8259).
    ///
    /// Refused: bytes that are not UTF-8, a byte order mark, duplicate member names, anything after the value,
    /// surrogates without their partner, more than 30 combining marks in a row, numbers that are too long or beyond a
    /// double's range, and nesting deeper than `maximumDepth` (never more than 512). The time taken grows linearly with the document.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - maximumDepth: How deep arrays and objects may be nested.
    ///   - shape: An object with the members to keep, each with `true`, or with such an object for a part of it: all others are
    ///     checked as JSON, except that duplicate names in them are not refused, and are null in the value, without a copy of
    ///     their texts. nil keeps everything.
    public init(
        parsing bytes: some Collection<UInt8>, maximumDepth: Int = 64, keeping shape: JSONValue? = nil
    ) throws(JSONError) {
        func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<JSONValue, JSONError> {
            Result { () throws(JSONError) in
                var parser = JSONParser(bytes: bytes, maximumDepth: min(maximumDepth, 512))
                return try parser.parseDocument(keeping: shape)
            }
        }
        let parsed = bytes.withContiguousStorageIfAvailable(parse) ?? Array(bytes).withUnsafeBufferPointer(parse)
        self = try parsed.get()
    }
}

/// A member of an object in a document, which is not parsed where its bytes are those of one that was parsed before.
package struct KnownMember {
    /// The object's name in the document, and the member's name in the object.
    let object: String, name: String
    /// The texts of values, each one whole object.
    let texts: [[UInt8]]
    /// The text that the member has, by its index; the member is null in the parsed document then.
    package fileprivate(set) var found: Int?
    /// Where the document has another value.
    package fileprivate(set) var range: Range<Int>?

    package init(_ name: String, of object: String, texts: [[UInt8]]) {
        (self.object, self.name, self.texts) = (object, name, texts)
    }
}

extension JSONValue {
    /// Reads a document that this library wrote as `init(parsing:)` does, but for one member, of which it tells what was found. It
    /// may have any number of combining marks, because its texts may have come from elsewhere than JSON.
    package init(parsing bytes: [UInt8], except member: inout KnownMember) throws(JSONError) {
        (self, member) = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            var parser = JSONParser(bytes: bytes, maximumDepth: 64, boundsMarks: false)
            return try parser.parseDocument(except: member)
        }
    }
}

struct JSONParser {
    /// The document. Every access is behind a comparison with its count, because release builds check no bounds here.
    let bytes: UnsafeBufferPointer<UInt8>
    let maximumDepth: Int
    /// Whether texts with too many combining marks are refused.
    let boundsMarks: Bool
    var position = 0
    /// The complete members of the objects that are not closed yet.
    private var members: [Member] = []
    /// A member that need not be parsed, and whether its object is being parsed.
    private var known: KnownMember?
    private var isInObject = false
    /// The members to keep of the value that comes next; nil keeps all of it.
    private var shape: JSONValue?
    /// Whether the value that comes next is kept.
    private var isKept = true

    private struct Member {
        let name: String
        let start: Int
        let value: JSONValue
    }

    init(bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, boundsMarks: Bool = true) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.boundsMarks = boundsMarks
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

    fileprivate mutating func parseDocument(keeping shape: JSONValue?) throws(JSONError) -> JSONValue {
        if case .object = shape { self.shape = shape }
        return try parseDocument()
    }

    fileprivate mutating func parseDocument(
        except member: KnownMember
    ) throws(JSONError) -> (JSONValue, KnownMember) {
        known = member
        let value = try parseDocument()
        return (value, known ?? member)
    }

    private mutating func parseValue(of name: String, depth: Int) throws(JSONError) -> JSONValue {
        if let outer = shape {
            let inner = outer[name]
            if case .object = inner { shape = inner } else { shape = nil }
            if case .none = inner { isKept = false }
            defer { (shape, isKept) = (outer, true) }
            let value = try parseValue(depth: depth)
            return isKept ? value : .null
        }
        if depth == 1, let known { isInObject = name == known.object }
        guard depth == 2, isInObject, known?.name == name else { return try parseValue(depth: depth) }
        let start = position
        // An object ends with its own bracket: what begins with the whole text of one is that one.
        if let index = known?.texts.firstIndex(where: isNext) {
            position += known?.texts[index].count ?? 0
            known?.found = index
            return .null
        }
        let value = try parseValue(depth: depth)
        known?.range = start..<position
        return value
    }

    /// Returns whether a text, which is not empty, comes next.
    private func isNext(_ text: [UInt8]) -> Bool {
        let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[position...])
        return text.withUnsafeBytes { text in
            guard let start = rest.baseAddress, let known = text.baseAddress, text.count <= rest.count else {
                return false
            }
            return memcmp(start, known, text.count) == 0
        }
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return try parseObject(depth: depth + 1)
        case UInt8(ascii: "["): return try parseArray(depth: depth + 1)
        case UInt8(ascii: "\""):
            if isKept { return .string(try parseString()) }
            try skipString()
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber())
        case UInt8(ascii: "t"): return try parseLiteral("true", as: .bool(true))
        case UInt8(ascii: "f"): return try parseLiteral("false", as: .bool(false))
        case UInt8(ascii: "n"): return try parseLiteral("null", as: .null)
        default: throw failure("no value starts like this")
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONError) -> JSONValue {
        guard isKept else {
            try parseMembers(depth: depth)
            return .null
        }
        let first = members.count
        defer { members.removeLast(members.count - first) }
        do throws(JSONError) {
            try parseMembers(depth: depth)
        } catch {
            // A name that occurred twice before this error is the one to report.
            _ = try table(of: members[first...])
            throw error
        }
        return .object(try table(of: members[first...]))
    }

    private mutating func parseMembers(depth: Int) throws(JSONError) {
        try open(depth: depth)
        if consume(UInt8(ascii: "}")) { return }
        repeat {
            skipWhiteSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("a member has no name") }
            let start = position
            let name = try isKept ? parseString() : skipString()
            skipWhiteSpace()
            guard consume(UInt8(ascii: ":")) else { throw failure("a member's name has no colon after it") }
            skipWhiteSpace()
            if isKept {
                members.append(Member(name: name, start: start, value: try parseValue(of: name, depth: depth)))
            } else {
                _ = try parseValue(depth: depth)
            }
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

    private mutating func parseArray(depth: Int) throws(JSONError) -> JSONValue {
        let wasKept = isKept
        // A shape describes objects: an array in the place of one is not kept.
        if case .some = shape { isKept = false }
        defer { isKept = wasKept }
        try open(depth: depth)
        var elements: [JSONValue] = []
        if !consume(UInt8(ascii: "]")) {
            repeat {
                skipWhiteSpace()
                let element = try parseValue(depth: depth)
                if isKept { elements.append(element) }
                skipWhiteSpace()
            } while consume(UInt8(ascii: ","))
            guard consume(UInt8(ascii: "]")) else { throw failure("an array is not closed") }
        }
        return isKept ? .array(elements) : .null
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
