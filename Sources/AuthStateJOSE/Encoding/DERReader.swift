/// Reads DER elements one after the other; nil as soon as an element is malformed.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

    var isAtEnd: Bool { rest.isEmpty }

    /// The content of the next element, which must have this tag.
    mutating func read(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard rest.first == tag else { return nil }
        var bytes = rest.dropFirst()
        guard let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...3).contains(count), bytes.count >= count else { return nil }
            length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(count)
        }
        guard bytes.count >= length else { return nil }
        rest = bytes.dropFirst(length)
        return bytes.prefix(length)
    }

    /// A reader of the content of the next element, which must be a sequence or have the given tag.
    mutating func enter(_ tag: UInt8 = DER.Tag.sequence) -> DERReader? { read(tag).map { DERReader($0) } }

    /// The big-endian bytes of the next element, a non-negative integer, without leading zeros.
    mutating func readInteger() -> [UInt8]? {
        guard let content = read(DER.Tag.integer), let first = content.first, first < 0x80 else { return nil }
        return Array(content.drop { $0 == 0 })
    }

    /// The bytes of the next element, a bit string of whole bytes.
    mutating func readBitString() -> [UInt8]? {
        guard let content = read(DER.Tag.bitString), content.first == 0 else { return nil }
        return Array(content.dropFirst())
    }
}

extension Array<UInt8> {
    /// The same big-endian number in at least that many bytes.
    func padded(to length: Int) -> [UInt8] { [UInt8](repeating: 0, count: Swift.max(0, length - count)) + self }
}
