extension JSONValue {
    /// The digits of a whole number that is known exactly: two users' numbers never have the same ones.
    package var digits: String? {
        guard case .number(let number) = self else { return nil }
        return number.int64Value.map(String.init)
    }

    /// Whether the value says as little as its absence: null, an empty text, list or object, or false.
    package var isContentless: Bool { [.null, .string(""), .bool(false), .array([]), .object([:])].contains(self) }
}
