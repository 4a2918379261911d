public import AuthStateKit
import Foundation

// Revision 2026-07-28, Streamable HTTP, "Custom Headers from Tool Parameters".
extension Tool {
    /// A parameter that a call repeats in a header.
    private struct Mirrored {
        var path: [String]
        var header: String
        var type: String
    }

    /// The parameters with `x-mcp-header`, which a chain of `properties` leads to.
    private var mirrored: [Mirrored] { Self.mirrored(in: inputSchema, at: []) }

    private static func mirrored(in schema: JSONValue, at path: [String]) -> [Mirrored] {
        let own = schema["x-mcp-header"].map { value in
            Mirrored(path: path, header: value.stringValue ?? "", type: schema["type"]?.stringValue ?? "")
        }
        let properties = schema["properties"]?.objectValue ?? [:]
        return (own.map { [$0] } ?? []) + properties.flatMap { mirrored(in: $1, at: path + [$0]) }
    }

    /// The number of `x-mcp-header` anywhere in a schema.
    private static func count(in schema: JSONValue) -> Int {
        if let elements = schema.arrayValue { return elements.reduce(0) { $0 + count(in: $1) } }
        return (schema.objectValue ?? [:]).reduce(0) { sum, member in
            switch member.key {
            case "x-mcp-header": sum + 1
            case "properties": (member.value.objectValue ?? [:]).values.reduce(sum) { $0 + count(in: $1) }
            case "default", "const", "enum", "examples": sum
            default: sum + count(in: member.value)
            }
        }
    }

    /// Whether the tool's `x-mcp-header` keep the protocol's rules; a client does not offer another tool.
    public var hasValidHeaders: Bool {
        let mirrored = mirrored
        let names = Set(mirrored.map { $0.header.lowercased() })
        return names.count == mirrored.count && Self.count(in: inputSchema) == mirrored.count
            && mirrored.allSatisfy { parameter in
                !parameter.path.isEmpty && ["string", "integer", "boolean"].contains(parameter.type)
                    && !parameter.header.isEmpty && parameter.header.utf8.allSatisfy(Self.isTokenCharacter)
            }
    }

    /// A character of an HTTP field name (RFC 9110, section 5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// The headers of a call with these arguments.
    public func headers(for arguments: [String: JSONValue]) -> TransportHeaders {
        var headers: TransportHeaders = [:]
        for parameter in mirrored {
            let value = parameter.path.reduce(JSONValue?.some(.object(arguments))) { $0?[$1] }
            let text = value?.stringValue ?? value?.intValue.map { "\($0)" } ?? value?.boolValue.map { "\($0)" }
            if let text { headers.append("Mcp-Param-\(parameter.header)", Self.headerValue(text)) }
        }
        return headers
    }

    /// Returns a text as the value of a header: as it is, or in Base64 where a header cannot carry it.
    public static func headerValue(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
        let isPadded = [" ", "\t"].contains { text.hasPrefix($0) || text.hasSuffix($0) }
        let isMarked = text.hasPrefix("=?base64?") && text.hasSuffix("?=")
        return isPlain && !isPadded && !isMarked ? text : "=?base64?\(Data(text.utf8).base64EncodedString())?="
    }
}
