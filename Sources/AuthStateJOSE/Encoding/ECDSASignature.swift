/// The two forms of an ECDSA signature: R and S side by side (RFC 7518, section 3.4) and DER (RFC 3279, section 2.2.3).
enum ECDSASignature {
    /// The DER form; the halves of the raw form are the numbers.
    static func der(raw: [UInt8]) -> [UInt8] {
        let half = raw.count / 2
        return DER.sequence(DER.integer(raw[..<half]), DER.integer(raw[half...]))
    }

    /// The raw form, each number padded to that length; nil when the DER form is broken or a number is longer.
    static func raw(der: [UInt8], length: Int) -> [UInt8]? {
        var document = DERReader(der)
        guard var numbers = document.enter(), let r = numbers.readInteger(), let s = numbers.readInteger(),
            numbers.isAtEnd, document.isAtEnd, r.count <= length, s.count <= length
        else { return nil }
        return r.padded(to: length) + s.padded(to: length)
    }
}
