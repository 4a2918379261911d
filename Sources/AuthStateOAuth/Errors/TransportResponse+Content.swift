public import AuthStateFoundation
import AuthStateJOSE

extension TransportResponse {
    /// The body as text, read as UTF-8; bytes that are not become U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the body decoded from JSON; the status is the caller's to check.
    ///
    /// ```swift
    /// let repositories = try await authState.performAction(TransportRequest(url: url)).json(as: [Repository].self)
    /// ```
    ///
    /// - Throws: `AuthStateError` of stage resource with `.malformedResponse`, which says where the body is another one than
    ///   expected, and shows nothing of it.
    public func json<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        do { return try decoder.decode(type, from: body) } catch {
            // The error itself may quote the body.
            throw AuthStateError(
                .malformedResponse, stage: .resource, "The answer is not the JSON that the program expects.",
                expected: "\(type) in JSON",
                received: "status \(status), \(mediaType?.printable() ?? "no Content-Type"), \(body.count) bytes"
                    + ((error as? DecodingError)?.summary.map { ", \($0)" } ?? ""),
                hint: (200...299).contains(status)
                    ? "Compare the answer's text with the type." : "Check the status before the body is decoded.")
        }
    }
}

extension DecodingError {
    /// The kind of the error, and the members of the program's type that lead to its place; nil where it is the whole.
    fileprivate var summary: String? {
        let (kind, keys): (String, [any CodingKey]) =
            switch self {
            case .typeMismatch(_, let context): ("another type", context.codingPath)
            case .valueNotFound(_, let context): ("null", context.codingPath)
            case .dataCorrupted(let context): ("another value", context.codingPath)
            case .keyNotFound(let key, let context): ("nothing", context.codingPath + [key])
            @unknown default: ("something else", [])
            }
        guard !keys.isEmpty else { return nil }
        let path = keys.map { key in
            // A key of the decoder's own type is one of a dictionary, and the body's.
            key.intValue.map(String.init) ?? ("\(type(of: key))".hasPrefix("_") ? "*" : key.stringValue)
        }
        return "\(kind) at /\(path.joined(separator: "/"))".printable()
    }
}

extension TransportResponse {
    /// Whether the body is a page for people: a firewall, a captive portal or a login page answered.
    package var isPage: Bool { body.first { !Self.whiteSpace.contains($0) } == UInt8(ascii: "<") }

    private static let whiteSpace = Set(" \t\r\n".utf8)

    /// The texts with which a server explains a refusal in a form of its own: an object or a list as `error`, `errors`, a
    /// problem document (RFC 9457), plain text, a challenge in the header; nil when there are none.
    var foreignReason: String? {
        if let reason = json.flatMap(Self.reason) ?? plainReason { return reason }
        let challenges = AuthenticationChallenge.parse(headers[values: "WWW-Authenticate"]) ?? []
        guard let challenge = challenges.first(where: { $0.error != nil }) else { return nil }
        return [challenge.error, challenge.errorDescription].compactMap(\.self).joined(separator: ", ").printable()
    }

    /// The first words of a refusal that is neither JSON, broken or not, nor a page, and that names no token or secret.
    private var plainReason: String? {
        let first = body.first { !Self.whiteSpace.contains($0) }
        guard status >= 400, let first, !"<{[".utf8.contains(first), json == nil else { return nil }
        let text = String(decoding: body.prefix(4096), as: UTF8.self)
        guard !text.contains("token="), !text.lowercased().contains("secret") else { return nil }
        // A file is no text for people.
        guard text.unicodeScalars.count(where: { $0 == "\u{FFFD}" || $0 == "\0" }) * 8 <= text.utf8.count else {
            return nil
        }
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : words.joined(separator: " ").printable()
    }

    private static func reason(in json: JSONValue) -> String? {
        var texts: [String] = []
        if case .string(let text) = json { collect(.string(text), 0, &texts) }
        collect(json["error"] ?? json["errors"] ?? json["issues"] ?? .null, 0, &texts)
        for name in explanations { collect(json[name] ?? .null, 0, &texts) }
        if let list = json.arrayValue { collect(.array(list), 0, &texts) }
        return texts.isEmpty ? nil : texts.joined(separator: ", ").printable()
    }

    /// The words beside an error code, where they are not a text in `error_description`.
    static func words(beside json: JSONValue) -> String? {
        var texts: [String] = []
        for name in sentences { collect(json[name] ?? .null, 0, &texts) }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// The members that hold a sentence for people.
    private static let sentences = [
        "title", "reason", "message", "msg", "description", "error_description", "error_message", "error_msg",
        "errorSummary", "errorMessage", "detail", "details",
    ]
    /// The members that explain a refusal, the most exact first.
    private static let explanations = ["code", "error_code", "errorCode", "type"] + sentences

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
