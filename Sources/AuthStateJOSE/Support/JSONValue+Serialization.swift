extension JSONValue {
    /// The value as UTF-8 JSON: members sorted by name, no white space, only the necessary escapes.
    public func serialized() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(Self.usualLength)
        write(to: &output)
        return output
    }

    /// The capacity that a document begins with.
    static let usualLength = 1024

    func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let value): output += (value ? "true" : "false").utf8
        case .number(let value): output += value.text.utf8
        case .string(let value): Self.write(value, to: &output)
        case .array(let elements): Self.write(elements, to: &output) { $0.write(to: &$1) }
        case .object(let members): Self.write(members: members, to: &output) { $0.write(to: &$1) }
        }
    }

    static func write<Element>(
        _ elements: [Element], to output: inout [UInt8], _ write: (Element, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            write(element, &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    /// Writes an object; of two members with the same name the last one is written.
    static func write<Value>(
        members: some Sequence<(key: String, value: Value)>, to output: inout [UInt8],
        _ write: (Value, inout [UInt8]) -> Void
    ) {
        let members = members.sorted { $0.key < $1.key }
        output.append(UInt8(ascii: "{"))
        var isFirst = true
        for (index, member) in members.enumerated() {
            if index + 1 < members.count, members[index + 1].key == member.key { continue }
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            Self.write(member.key, to: &output)
            output.append(UInt8(ascii: ":"))
            write(member.value, &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            while true {
                let end = JSONText.plainEnd(in: bytes, from: start)
                output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<end]))
                guard end < bytes.count else { break }
                output += escape(bytes[end])
                start = end + 1
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "\""): return Array("\\\"".utf8)
        case UInt8(ascii: "\\"): return Array("\\\\".utf8)
        case 0x08: return Array("\\b".utf8)
        case 0x09: return Array("\\t".utf8)
        case 0x0A: return Array("\\n".utf8)
        case 0x0C: return Array("\\f".utf8)
        case 0x0D: return Array("\\r".utf8)
        default:
            let digits = Array("0123456789abcdef".utf8)
            return Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
        }
    }
}
