import AuthStateKit

extension String {
    /// The text without characters that steer a terminal, line breaks kept: for what this program says in several lines.
    var plain: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { $0.description.printable(.max) }
            .joined(separator: "\n")
    }
}

extension JSONValue {
    /// The JSON for standard output: characters that steer a terminal are written as `\u` escapes, which a program reads
    /// as the characters that they were.
    var printed: [UInt8] {
        var text = ""
        for scalar in String(decoding: serialized(), as: UTF8.self).unicodeScalars {
            text += scalar.isPrintable ? "\(scalar)" : "\(scalar)".utf16.map(Self.escape).joined()
        }
        return Array(text.utf8)
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
