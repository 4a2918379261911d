import AuthStateLibc

extension JSONParser {
    /// Reads a string, whose opening quote is next.
    mutating func parseString() throws(JSONError) -> String {
        position += 1
        let start = position
        position = JSONText.plainEnd(in: bytes, from: start)
        switch next {
        case UInt8(ascii: "\""):
            let text = try decode(UnsafeBufferPointer(rebasing: bytes[start..<position]), from: start)
            position += 1
            return text
        case UInt8(ascii: "\\"): return try parseEscapedString(from: start)
        default: throw failure("a control character stands in a string")
        }
    }

    /// Reads a string, whose opening quote is next, without keeping it.
    ///
    /// - Returns: An empty text.
    @discardableResult
    mutating func skipString() throws(JSONError) -> String {
        position += 1
        while true {
            let start = position
            position = JSONText.plainEnd(in: bytes, from: start)
            try check(UnsafeBufferPointer(rebasing: bytes[start..<position]), from: start)
            switch next {
            case UInt8(ascii: "\""):
                position += 1
                return ""
            case UInt8(ascii: "\\"):
                position += 1
                _ = try parseEscape()
            default: throw failure("a control character stands in a string")
            }
        }
    }

    /// Reads the rest of a string that starts at `start` and whose first backslash is next.
    private mutating func parseEscapedString(from start: Int) throws(JSONError) -> String {
        var content = Array(bytes[start..<position])
        while true {
            switch next {
            case UInt8(ascii: "\""):
                let text = try content.withUnsafeBufferPointer { content throws(JSONError) in
                    try decode(content, from: start)
                }
                position += 1
                return text
            case UInt8(ascii: "\\"):
                position += 1
                content += UTF8.encode(try parseEscape()) ?? UTF8.encodedReplacementCharacter
            default:
                let end = JSONText.plainEnd(in: bytes, from: position)
                guard end > position else { throw failure("a control character stands in a string") }
                content += bytes[position..<end]
                position = end
            }
        }
    }

    /// Reads the rest of an escape, after its backslash.
    private mutating func parseEscape() throws(JSONError) -> Unicode.Scalar {
        let escape = next
        let scalar: Unicode.Scalar
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = Unicode.Scalar(escape)
        case UInt8(ascii: "b"): scalar = "\u{08}"
        case UInt8(ascii: "f"): scalar = "\u{0C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"): return try parseUnicodeEscape()
        default: throw failure("no escape is written like this")
        }
        position += 1
        return scalar
    }

    /// Reads `uXXXX`, or `uXXXX\uXXXX` when the first is half of a surrogate pair.
    private mutating func parseUnicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let start = position
        let unit = try parseCodeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), consume(UInt8(ascii: "\\")), next == UInt8(ascii: "u") else {
            throw JSONError("a surrogate stands alone", at: start)
        }
        let trail = try parseCodeUnit()
        guard UTF16.isTrailSurrogate(trail) else { throw JSONError("a surrogate stands alone", at: start) }
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private mutating func parseCodeUnit() throws(JSONError) -> UInt16 {
        position += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch next {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = next - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = next - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = next - UInt8(ascii: "A") + 10
            default: throw failure("no escape is written like this")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// Throws where bytes are not UTF-8.
    private func check(_ content: UnsafeBufferPointer<UInt8>, from start: Int) throws(JSONError) {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            _ = try decode(content, from: start)
            return
        }
        do throws(UTF8.ValidationError) { _ = try UTF8Span(validating: content.span) } catch {
            throw JSONError("a string is not UTF-8", at: start)
        }
    }

    /// Decodes UTF-8. The standard library repairs malformed input: a repaired result means that it was not UTF-8.
    private func decode(_ content: UnsafeBufferPointer<UInt8>, from start: Int) throws(JSONError) -> String {
        guard let original = content.baseAddress, !content.isEmpty else { return "" }
        var text = String(decoding: content, as: UTF8.self)
        let isSame = text.withUTF8 { decoded in
            guard let start = decoded.baseAddress, decoded.count == content.count else { return false }
            return memcmp(start, original, decoded.count) == 0
        }
        guard isSame else { throw JSONError("a string is not UTF-8", at: start) }
        if boundsMarks, content.reduce(0, |) >= 0x80, text.hasTooManyMarks {
            throw JSONError("a string has more than 30 combining marks in a row", at: start)
        }
        return text
    }
}
