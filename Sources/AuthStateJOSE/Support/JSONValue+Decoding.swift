import AuthStateFoundation

extension JSONValue {
    /// Decodes a type from the value; dates are seconds since 1970, and URLs are strings.
    ///
    /// A document that was parsed already is not parsed again, as Foundation's decoder would, and parts of the type that are
    /// JSON values are taken as they are. Throws `DecodingError`, and what the type's own initializer throws.
    package func decoded<T: Decodable>(as type: T.Type, userInfo: [CodingUserInfoKey: Any] = [:]) throws -> T {
        try JSONValueDecoder(value: self, userInfo: userInfo).decode(type)
    }
}

/// Reads one value.
///
/// A class: coders pass it on as an existential, and a value of this size would be allocated again each time.
private final class JSONValueDecoder: Decoder {
    let value: JSONValue
    /// The decoder of what contains the value, and the step from there.
    private let parent: JSONValueDecoder?
    private let step: (any CodingKey)?

    let userInfo: [CodingUserInfoKey: Any]

    init(value: JSONValue, userInfo: [CodingUserInfoKey: Any]) {
        (self.value, parent, step, self.userInfo) = (value, nil, nil, userInfo)
    }

    init(value: JSONValue, parent: JSONValueDecoder, step: (any CodingKey)?) {
        (self.value, self.parent, self.step, userInfo) = (value, parent, step, parent.userInfo)
    }

    /// Put together when it is asked for, which errors do.
    var codingPath: [any CodingKey] { (parent?.codingPath ?? []) + (step.map { [$0] } ?? []) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: JSONValue].self) }
        return KeyedDecodingContainer(Members(members: members, parent: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSONValue].self) }
        return Elements(elements: elements, parent: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "something else than \(type)")
        return decodeNil() ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func require<T>(_ value: T?) throws -> T {
        guard let value else { throw mismatch(T.self) }
        return value
    }

    // Kept: Swift's run-time library looks for the metadata of a generic type each time that it is named.
    private static let object: Any.Type = [String: JSONValue].self
    private static let list: Any.Type = [JSONValue].self

    /// Decodes what is no scalar by the type's own initializer, unless the value is it already.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let found: Any?
        if type == JSONValue.self {
            found = value
        } else if type == Self.object {
            found = value.objectValue
        } else if type == Self.list {
            found = value.arrayValue
        } else if type == Date.self {
            // Within 30,000 years either way: a number from outside may be too large for an integer, or a calendar.
            found = value.doubleValue.map { Date(timeIntervalSince1970: min(max($0, -1e12), 1e12)) }
        } else if type == URL.self {
            found = value.stringValue.flatMap(URL.init(string:))
        } else {
            return try T(from: self)
        }
        return try require(found as? T)
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { if case .null = value { true } else { false } }
    func decode(_ type: Bool.Type) throws -> Bool { try require(value.boolValue) }
    func decode(_ type: String.Type) throws -> String { try require(value.stringValue) }
    func decode(_ type: Double.Type) throws -> Double { try require(value.doubleValue) }
    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
        try require(value.intValue.flatMap(T.init(exactly:)))
    }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let parent: JSONValueDecoder
    var codingPath: [any CodingKey] { parent.codingPath }

    var allKeys: [Key] { members.keys.compactMap(Key.init(stringValue:)) }
    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    private func decoder(_ key: Key) throws -> JSONValueDecoder {
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: codingPath, debugDescription: "no such member"))
        }
        return JSONValueDecoder(value: value, parent: parent, step: key)
    }

    /// The decoder of a member that is there and is not null.
    private func present(_ key: Key) -> JSONValueDecoder? {
        switch members[key.stringValue] {
        case nil, .null?: nil
        case let value?: JSONValueDecoder(value: value, parent: parent, step: key)
        }
    }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        // The most frequent: without a decoder, except for its error.
        if case .string(let text)? = members[key.stringValue] { text } else { try decoder(key).decode(type) }
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).decode(type) }
    func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder(key).decode(type)
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(key).decode(type) }

    // The defaults look three times.
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        switch members[key.stringValue] {
        case nil, .null?: nil
        case .string(let text)?: text
        default: try decoder(key).decode(type)
        }
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try present(key)?.decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try superDecoder(named: "super") }
    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(named: key.stringValue) }

    private func superDecoder(named name: String) throws -> any Decoder {
        JSONValueDecoder(value: members[name] ?? .null, parent: parent, step: JSONPathStep(stringValue: name))
    }
}

private struct Elements: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let parent: JSONValueDecoder
    private(set) var currentIndex = 0

    init(elements: [JSONValue], parent: JSONValueDecoder) { (self.elements, self.parent) = (elements, parent) }

    var codingPath: [any CodingKey] { parent.codingPath }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    /// Reads the next element, and steps over it when that succeeds.
    private mutating func next<T>(_ type: T.Type, _ read: (JSONValueDecoder) throws -> T) throws -> T {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type, DecodingError.Context(codingPath: codingPath, debugDescription: "no more elements"))
        }
        let step = JSONPathStep(intValue: currentIndex)
        let value = try read(JSONValueDecoder(value: elements[currentIndex], parent: parent, step: step))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, case .null = elements[currentIndex] else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { try $0.decode(type) } }
    mutating func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
        try next(type) { try $0.decode(type) }
    }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next(KeyedDecodingContainer<Nested>.self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }
}

/// A step on the way to a value: the name of a member or the index of an element.
enum JSONPathStep: CodingKey {
    case name(String)
    case index(Int)

    init(stringValue: String) { self = .name(stringValue) }
    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): "\(index)"
        }
    }

    var intValue: Int? { if case .index(let index) = self { index } else { nil } }
}
