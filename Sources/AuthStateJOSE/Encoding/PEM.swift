/// Reads the text encoding of keys and certificates (RFC 7468).
enum PEM {
    /// The content of the first block whose label ends in `PRIVATE KEY`; nil when there is none, or it is encrypted.
    static func privateKey(in text: String) -> [UInt8]? {
        var label: String?
        var content = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop(while: \.isWhitespace)
            if let open = label {
                if line.hasPrefix("-----END \(open)-----") { return Base64.decode(content) }
                // Encrypted keys of the older form carry headers, which no base64 text contains.
                content += line.filter { !$0.isWhitespace }
            } else if line.hasPrefix("-----BEGIN "), let end = line.dropFirst(11).firstIndex(of: "-") {
                let name = line[line.index(line.startIndex, offsetBy: 11)..<end]
                if name.hasSuffix("PRIVATE KEY"), name != "ENCRYPTED PRIVATE KEY" { label = String(name) }
            }
        }
        return nil
    }

    /// The contents of the blocks with this label, in order; a block that is not base64 is left out.
    static func blocks(_ label: String, in text: String) -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        var content: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop(while: \.isWhitespace)
            if line.hasPrefix("-----BEGIN \(label)-----") {
                content = ""
            } else if line.hasPrefix("-----END \(label)-----") {
                if let content, let block = Base64.decode(content) { blocks.append(block) }
                content = nil
            } else {
                content? += line.filter { !$0.isWhitespace }
            }
        }
        return blocks
    }
}
