import AuthStateFoundation
import AuthStateJOSE

extension TransportResponse {
    /// Whether the body is a page for people: a firewall, a captive portal or a login page answered.
    package var isPage: Bool { body.first { !Self.whiteSpace.contains($0) } == UInt8(ascii: "<") }

    private static let whiteSpace = Set(" \t\r\n".utf8)

    /// The texts with which a server explains a refusal in a form of its own: an object or a list as `error`, `errors`, a
    /// problem document (RFC 9457); nil when there are none.
    var foreignReason: String? {
        guard let json else { return nil }
        var texts: [String] = []
        Self.collect(json["error"] ?? json["errors"] ?? .null, 0, &texts)
        for name in Self.explanations { Self.collect(json[name] ?? .null, 0, &texts) }
        if let list = json.arrayValue { Self.collect(.array(list), 0, &texts) }
        return texts.isEmpty ? nil : texts.joined(separator: ", ").printable()
    }

    /// The members that hold a text for people, the most exact first.
    private static let explanations = [
        "code", "type", "title", "reason", "message", "msg", "description", "error_description", "error_message",
        "detail",
        "details",
    ]

    private static func collect(_ value: JSONValue, _ depth: Int, _ texts: inout [String]) {
        guard texts.count < 8, depth < 4 else { return }
        switch value {
        case .string(let text) where !text.isEmpty && !texts.contains(text): texts.append(text)
        case .array(let values): for value in values { collect(value, depth + 1, &texts) }
        case .object(let members):
            for name in ["error", "errors"] + explanations {
                if let value = members[name] { collect(value, depth + 1, &texts) }
            }
        default: break
        }
    }
}
