extension JSONValue {
    /// The digits of an integer that was written as one and fits 64 bits: two users' numbers never have the same ones.
    package var digits: String? { if case .number(let number) = self { number.digits } else { nil } }

    var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string(let text): text.isEmpty ? "an empty text" : "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    /// Whether the value says as little as its absence: null, an empty text, list or object, or false.
    package var isContentless: Bool { [.null, .string(""), .bool(false), .array([]), .object([:])].contains(self) }
}
