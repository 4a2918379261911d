/// The part of a JSON string that is written as it is (RFC 8259, section 7).
enum JSONText {
    /// Returns the offset of the first byte, from `start` on, that cannot stand in a string unescaped: a quote, a
    /// backslash or a control character. Without one it is the end.
    static func plainEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var position = start
        // Eight bytes at once: two thirds of a document are strings.
        while bytes.count - position >= 8 {
            let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if hasSpecial(word) { break }
            position += 8
        }
        while position < bytes.count, !isSpecial(bytes[position]) { position += 1 }
        return position
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Whether one of the eight bytes is special.
    private static func hasSpecial(_ word: UInt64) -> Bool {
        // A subtraction sets the top bit of the lowest byte that is smaller; bytes with a top bit of their own are not.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let control = (word &- ones &* 0x20) & ~word
        let found = control | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return found & (ones &* 0x80) != 0
    }
}

extension String {
    /// The text of well-formed UTF-8; nil for other bytes.
    ///
    /// `String(validating:as:)` does the same, on newer systems than the oldest supported ones.
    package init?(strictUTF8 bytes: [UInt8]) {
        self.init(decoding: bytes, as: UTF8.self)
        // Malformed bytes were replaced by U+FFFD, so that the bytes differ.
        guard utf8.elementsEqual(bytes) else { return nil }
    }

    /// Whether the text has more combining marks in a row than text for streams has (Unicode, UAX 15, section 13): the standard
    /// library sorts them when it compares or hashes texts, in time that grows with the square of their number.
    package var hasTooManyMarks: Bool {
        var marks = 0
        for scalar in unicodeScalars where scalar.value >= 0x300 || marks > 0 {
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks > 30 { return true }
        }
        return false
    }

    /// At most 100 characters, each one that is not printable ASCII a question mark: for text that came from outside.
    var shown: String { String(unicodeScalars.prefix(100).map { (" "..."~").contains($0) ? Character($0) : "?" }) }
}
