extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation {
    /// Makes `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Makes `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Makes an integer.
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }

    /// Makes a number; a literal too large for a double becomes `null`, as in ECMAScript's `JSON.stringify`.
    public init(floatLiteral value: Double) { self = JSONNumber(value).map(JSONValue.number) ?? .null }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Makes an object; of two members with the same name the last one is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
