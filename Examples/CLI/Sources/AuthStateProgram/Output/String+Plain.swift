public import AuthStateKit

extension String {
    /// The text without terminal control characters, line breaks kept: for this program's own messages of several
    /// lines.
    var plain: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { $0.description.printable(.max) }
            .joined(separator: "\n")
    }
}

extension JSONValue {
    /// The JSON for standard output: terminal control characters are written as `\u` escapes, which a program reads as
    /// the original characters.
    public var printed: [UInt8] {
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
