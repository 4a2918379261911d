import AuthStateJOSE
public import AuthStateKit

extension AuthStateError {
    /// The members of the `error` object; unknown ones are left out.
    public var json: JSONValue {
        JSONValue(known: [
            "code": .string(code.rawValue),
            "kind": .string(kind.rawValue),
            "stage": .string(stage.rawValue),
            "message": .string(message),
            "expected": expected.map(JSONValue.string),
            "received": received.map(JSONValue.string),
            "hint": hint.map(JSONValue.string),
            "scope": challenge?.scope.map(JSONValue.string),
            "oauth_error": response.map { .string($0.error) },
            "oauth_error_description": response?.errorDescription.map(JSONValue.string),
            "oauth_error_uri": response?.errorURI.map(JSONValue.string),
            "http_status": httpStatus.map { JSONValue($0) },
            "retry_after": retryAfter.flatMap { JSONNumber($0 / .seconds(1)) }.map(JSONValue.number),
            "body": responseBody.map(JSONValue.string),
            "underlying": underlying.map(JSONValue.string),
        ])
    }
}

extension [String: JSONValue] {
    /// One member a line, by name.
    var lines: [String] {
        sorted { $0.key < $1.key }.map { name, value in
            "\(name): \(value.stringValue ?? String(decoding: value.serialized(), as: UTF8.self))"
        }
    }
}

extension JSONValue {
    /// An object of the members that have a value.
    init(known members: [String: JSONValue?]) { self = .object(members.compactMapValues { $0 }) }

    /// A whole number.
    init(_ integer: Int) { self = .number(JSONNumber(Int64(integer))) }

    /// A text, or null.
    init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }
}
