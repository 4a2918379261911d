/// Base64 with padding (RFC 4648, section 4), as HTTP Basic authentication and PEM files use it.
package enum Base64 {
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var characters = Base64Alphabet.standard.encode(Array(bytes))
        while characters.count % 4 != 0 { characters.append(UInt8(ascii: "=")) }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Decodes text with its padding; nil for anything that ``encode(_:)`` would not have written.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var characters = Array(text.utf8)
        guard characters.count % 4 == 0 else { return nil }
        for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        return characters.withUnsafeBufferPointer { Base64Alphabet.standard.decode($0) }
    }
}

/// Base64url as JOSE uses it: RFC 4648, section 5, without padding (RFC 7515, section 2).
public enum Base64URL {
    /// Encodes bytes, without padding.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: Base64Alphabet.urlSafe.encode(Array(bytes)), as: UTF8.self)
    }

    /// Decodes text strictly, so that no two texts mean the same bytes.
    ///
    /// Nil for padding, white space, other characters, impossible lengths, and bits left over that are not zero.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(Array(text.utf8)[...]) }

    /// Decodes the bytes of a text in the same way.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        text.withUnsafeBufferPointer { Base64Alphabet.urlSafe.decode($0) }
    }
}
