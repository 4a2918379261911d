/// Base64url as JOSE uses it: RFC 4648, section 5, without padding (RFC 7515, section 2).
public enum Base64URL {
    /// Encodes bytes, without padding.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: Base64Alphabet.urlSafe.encode(Array(bytes)), as: UTF8.self)
    }

    /// Decodes text strictly, so that no two texts mean the same bytes.
    ///
    /// Nil for padding, white space, characters of other alphabets, lengths that no encoding has, and bits left over at
    /// the end that are not zero.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(Array(text.utf8)[...])
    }

    /// Decodes the bytes of a text in the same way.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        text.withUnsafeBufferPointer { Base64Alphabet.urlSafe.decode($0) }
    }
}
