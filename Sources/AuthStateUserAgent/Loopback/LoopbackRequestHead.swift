import AuthStateOAuth

/// The request line and the header fields of a request (RFC 9112, sections 3 and 5).
struct LoopbackRequestHead: Sendable {
    let method: String
    let target: String
    let headers: TransportHeaders
    let contentLength: Int
    let keepsAlive: Bool

    /// Reads lines that each end in CR LF and hold no other control character than the tab.
    init(lines: ArraySlice<UInt8>) throws(LoopbackRefusal) {
        var rows = lines.split(separator: .lineFeed).map { $0.dropLast() }[...]
        let words = (rows.popFirst() ?? []).split(separator: .space, omittingEmptySubsequences: false)
        guard words.count == 3, words[0].isToken, words[1].first == UInt8(ascii: "/"),
            words[1].allSatisfy({ (0x21...0x7E).contains($0) }), !words[1].contains(UInt8(ascii: "#"))
        else { throw LoopbackRefusal(400) }
        let version = String(decoding: words[2], as: UTF8.self)
        guard version.hasPrefix("HTTP/") else { throw LoopbackRefusal(400) }
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw LoopbackRefusal(505) }
        var fields = TransportHeaders()
        for row in rows {
            let (name, value) = try Self.field(row)
            fields.append(name, value)
        }
        let hosts = fields[values: "Host"].count
        guard hosts == 1 || (hosts == 0 && version == "HTTP/1.0") else { throw LoopbackRefusal(400) }
        method = String(decoding: words[0], as: UTF8.self)
        target = String(decoding: words[1], as: UTF8.self)
        headers = fields
        contentLength = try Self.contentLength(fields)
        keepsAlive =
            version == "HTTP/1.1"
            && !fields[values: "Connection"].contains { value in
                value.split(separator: ",").contains { $0.filter { $0 != " " }.equalsIgnoringASCIICase("close") }
            }
    }

    private static func field(_ row: ArraySlice<UInt8>) throws(LoopbackRefusal) -> (name: String, value: String) {
        guard let colon = row.firstIndex(of: UInt8(ascii: ":")), row[..<colon].isToken else {
            throw LoopbackRefusal(400)
        }
        let isBlank: (UInt8) -> Bool = { $0 == .space || $0 == .tab }
        let value = row[row.index(after: colon)...].drop(while: isBlank)
        let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? value.startIndex
        return (String(decoding: row[..<colon], as: UTF8.self), String(decoding: value[..<end], as: UTF8.self))
    }

    /// Reads one plain number, and no transfer coding: two lengths are how requests are smuggled (RFC 9112, section
    /// 6.3).
    private static func contentLength(_ headers: TransportHeaders) throws(LoopbackRefusal) -> Int {
        let lengths = headers[values: "Content-Length"]
        guard headers["Transfer-Encoding"] == nil else { throw LoopbackRefusal(lengths.isEmpty ? 501 : 400) }
        guard let length = lengths.first else { return 0 }
        guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw LoopbackRefusal(400)
        }
        guard let bytes = Int(length) else { throw LoopbackRefusal(413) }
        return bytes
    }
}
