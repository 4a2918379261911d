/// Writes the part of DER (X.690) that keys and ECDSA signatures need.
enum DER {
    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
        /// A certificate's version, explicitly tagged.
        static let version: UInt8 = 0xA0
    }

    static let null: [UInt8] = [0x05, 0x00]

    static func element(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        var output = [tag]
        output.reserveCapacity(content.count + 5)
        if content.count < 0x80 {
            output.append(UInt8(content.count))
        } else {
            var length: [UInt8] = []
            var rest = content.count
            while rest > 0 {
                length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
                rest >>= 8
            }
            output.append(0x80 | UInt8(length.count))
            output += length
        }
        output += content
        return output
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(Tag.sequence, parts.flatMap(\.self)) }

    /// A non-negative integer from its big-endian bytes, shortened as DER asks.
    static func integer(_ magnitude: some Collection<UInt8>) -> [UInt8] {
        var content = Array(magnitude.drop { $0 == 0 })
        if content.first.map({ $0 >= 0x80 }) ?? true { content.insert(0, at: 0) }
        return element(Tag.integer, content)
    }

    /// A bit string of whole bytes.
    static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(Tag.bitString, [0] + bytes) }

    static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(Tag.octetString, bytes) }
}
