/// The 64 characters of one of RFC 4648's alphabets, and the way back from each of them.
struct Base64Alphabet: Sendable {
    /// Section 4: with `+` and `/`.
    static let standard = Base64Alphabet(last: "+/")
    /// Section 5: with `-` and `_`.
    static let urlSafe = Base64Alphabet(last: "-_")

    private static let invalid: UInt8 = 0xFF
    private let characters: [UInt8]
    private let values: [UInt8]

    private init(last: String) {
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        self.characters = characters
        self.values = values
    }

    /// Encodes without padding. The parameter is an array, because a loop over a generic collection would not be
    /// specialised for other modules.
    func encode(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count * 4 + 2) / 3)
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                output.append(characters[Int(pending >> bits & 0x3F)])
            }
        }
        if bits > 0 { output.append(characters[Int(pending << (6 - bits) & 0x3F)]) }
        return output
    }

    /// Decodes text without padding; nil for foreign characters, impossible lengths, and left-over bits that are not 0.
    func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var groupsEnd = 0
        var output = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { output, count in
            groupsEnd = decodeGroups(text, to: output)
            count = groupsEnd / 4 * 3
        }
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for character in text[groupsEnd...] {
            let value = values[Int(character)]
            guard value != Self.invalid else {
                guard TrustCheck.base64URLAlphabet.holds(false) else { return nil }
                continue
            }
            pending = pending << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        guard TrustCheck.base64URLRemainder.holds(bits < 6 && pending & (1 << bits - 1) == 0) else { return nil }
        return output
    }

    /// Decodes groups of four characters up to the first foreign one; returns the offset of the first that is left.
    private func decodeGroups(_ text: UnsafeBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>) -> Int {
        values.withUnsafeBufferPointer { values in
            var (position, end) = (0, 0)
            while text.count - position >= 4 {
                let first = values[Int(text[position])]
                let second = values[Int(text[position + 1])]
                let third = values[Int(text[position + 2])]
                let fourth = values[Int(text[position + 3])]
                guard first | second | third | fourth != Self.invalid else { break }
                output[end] = first << 2 | second >> 4
                output[end + 1] = second << 4 | third >> 2
                output[end + 2] = third << 6 | fourth
                (position, end) = (position + 4, end + 3)
            }
            return position
        }
    }
}

extension TrustCheck {
    /// base64url: no padding, no white space, no character of another alphabet (RFC 7515, section 2).
    package static let base64URLAlphabet = TrustCheck("base64URLAlphabet")
    /// base64url: nothing is left over at the end, so that no two texts mean the same bytes (RFC 4648, section 3.5).
    package static let base64URLRemainder = TrustCheck("base64URLRemainder")
}
