/// A JSON value (RFC 8259), for documents whose members are not all known beforehand.
///
/// Member names are compared as Swift strings: two names that Unicode calls canonically equivalent are one name.
public enum JSONValue: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// The literals `true` and `false`.
    case bool(Bool)
    /// A number.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object; the order of its members is not kept.
    case object([String: JSONValue])

    /// The member of that name; nil when there is none or when this is no object.
    public subscript(key: String) -> JSONValue? { objectValue?[key] }

    /// The text, when this is a string.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The integer, when this is a whole number that fits 64 bits.
    public var intValue: Int64? { if case .number(let value) = self { value.int64Value } else { nil } }
    /// The number, when this is one.
    public var doubleValue: Double? { if case .number(let value) = self { value.doubleValue } else { nil } }
    /// The truth value, when this is one.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements, when this is an array.
    public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members, when this is an object.
    public var objectValue: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
}
