import ArgumentParser
import AuthStateKit

/// `NAME=VALUE`, a request parameter.
struct NamedValue: ExpressibleByArgument, Hashable, Sendable {
    var name: String
    var value: String

    init?(argument: String) {
        guard let mark = argument.firstIndex(of: "="), mark != argument.startIndex else { return nil }
        name = String(argument[..<mark])
        value = String(argument[argument.index(after: mark)...])
    }
}

/// `Name: value`, a header line.
struct HeaderLine: ExpressibleByArgument, Hashable, Sendable {
    var name: String
    var value: String

    init?(argument: String) {
        guard let mark = argument.firstIndex(of: ":"), mark != argument.startIndex else { return nil }
        name = String(argument[..<mark])
        value = String(argument[argument.index(after: mark)...].drop { $0 == " " || $0 == "\t" })
        guard name.utf8.allSatisfy(Self.isTokenByte), !value.contains(where: \.isNewline) else { return nil }
    }

    /// RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
