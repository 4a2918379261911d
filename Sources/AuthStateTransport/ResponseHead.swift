import AuthStateOAuth

/// The header section of the final answer, collected line by line as it arrives.
///
/// Sections of interim answers (1xx) are dropped when the next status line comes. The lines behind the body are the trailers.
struct ResponseHead {
    private var bytes: [UInt8] = []
    private var trailerBytes: [UInt8] = []
    /// Whether the section has ended; that of an interim answer is followed by another.
    private(set) var isComplete = false
    private var total = 0

    /// The most bytes that header sections may have, those of interim answers included.
    static let maximumBytes = 128 << 10

    /// Takes one line with its end; returns false when the section is too long.
    mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
        total += line.count
        guard total <= Self.maximumBytes else { return false }
        if line.starts(with: "HTTP/".utf8) {
            bytes.removeAll(keepingCapacity: true)
            isComplete = false
        } else if line.first == 0x0D || line.first == 0x0A {
            isComplete = true
        } else if isComplete {
            trailerBytes.append(contentsOf: line)
        } else {
            bytes.append(contentsOf: line)
        }
        return true
    }

    /// The fields in order, each line apart; a folded line belongs to the one before (RFC 9112, section 5.2).
    var headers: TransportHeaders { Self.fields(of: bytes) }
    /// The fields behind the body (RFC 9110, section 6.5).
    var trailers: TransportHeaders { Self.fields(of: trailerBytes) }

    private static func fields(of bytes: [UInt8]) -> TransportHeaders {
        var fields: [(name: String, value: String)] = []
        for line in bytes.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
            if line.first == 0x20 || line.first == 0x09 {
                if !fields.isEmpty { fields[fields.count - 1].value += " " + trimmed(line) }
            } else if let colon = line.firstIndex(of: 0x3A) {
                fields.append((trimmed(line[..<colon]), trimmed(line[(colon + 1)...])))
            }
        }
        var headers = TransportHeaders()
        for field in fields { headers.append(field.name, field.value) }
        return headers
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = line.firstIndex(where: { !isBlank($0) }), let last = line.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: line[first...last], as: UTF8.self)
    }
}
