import AuthStateFoundation

extension JSONValue {
    /// Encodes a value; dates are seconds since 1970, and URLs are strings.
    ///
    /// - Throws: `EncodingError`, and what the value's own method throws.
    package init(encoding value: some Encodable) throws {
        let encoder = JSONValueEncoder()
        try encoder.set(value)
        self = encoder.finished
    }
}

/// Collects one value.
private final class JSONValueEncoder: Encoder {
    /// The way to what contains the value, and the step from there; put together when it is asked for.
    private let parent: [any CodingKey]
    private let step: (any CodingKey)?
    /// What has been encoded: an object or an array as soon as a container for one was handed out.
    private var value: JSONValue?
    fileprivate var members: [String: JSONValue] = [:]
    fileprivate var elements: [JSONValue] = []
    private var isArray = false
    /// The members and elements whose own encoders were handed out, and which may not be complete yet.
    private var open: [(place: Place, encoder: JSONValueEncoder)] = []

    /// The place of a member or an element.
    enum Place {
        case member(String)
        case element(Int)
    }

    init(parent: [any CodingKey] = [], step: (any CodingKey)? = nil) { (self.parent, self.step) = (parent, step) }

    var codingPath: [any CodingKey] { step.map { parent + [$0] } ?? parent }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(MemberWriter<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        isArray = true
        return ElementWriter(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// What was encoded, when no more follows.
    var finished: JSONValue {
        if let value { return value }
        var (members, elements) = (members, elements)
        for (place, encoder) in open {
            switch place {
            case .member(let name): members[name] = encoder.finished
            case .element(let index): elements[index] = encoder.finished
            }
        }
        return isArray ? .array(elements) : .object(members)
    }

    /// Encodes the one value of this encoder, which is JSON already, or by its own method.
    func set<T: Encodable>(_ value: T) throws {
        switch T.self {
        case is JSONValue.Type: self.value = value as? JSONValue
        case is [String: JSONValue].Type: self.value = (value as? [String: JSONValue]).map(JSONValue.object)
        case is [JSONValue].Type: self.value = (value as? [JSONValue]).map(JSONValue.array)
        case is Date.Type: self.value = try (value as? Date).map { try number($0.timeIntervalSince1970) }
        case is URL.Type: self.value = (value as? URL).map { .string($0.absoluteString) }
        default: try value.encode(to: self)
        }
    }

    /// Returns what a value inside this one is encoded as.
    func encoded(_ value: some Encodable, at step: some CodingKey) throws -> JSONValue {
        let encoder = JSONValueEncoder(parent: codingPath, step: step)
        try encoder.set(value)
        return encoder.finished
    }

    /// Hands out the encoder of a part.
    func part(_ place: Place, at step: some CodingKey) -> JSONValueEncoder {
        let encoder = JSONValueEncoder(parent: codingPath, step: step)
        open.append((place, encoder))
        return encoder
    }

    func number(_ value: Double) throws -> JSONValue {
        guard let number = JSONNumber(value) else {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: codingPath, debugDescription: "JSON has no such number"))
        }
        return .number(number)
    }

    func number(_ value: some FixedWidthInteger) throws -> JSONValue {
        guard let number = Int64(exactly: value) else { return try self.number(Double(value)) }
        return .number(JSONNumber(number))
    }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { value = .null }
    func encode(_ value: Bool) { self.value = .bool(value) }
    func encode(_ value: String) { self.value = .string(value) }
    func encode(_ value: Double) throws { self.value = try number(value) }
    func encode(_ value: Float) throws { self.value = try number(Double(value)) }
    func encode(_ value: Int) throws { self.value = try number(value) }
    func encode(_ value: Int8) throws { self.value = try number(value) }
    func encode(_ value: Int16) throws { self.value = try number(value) }
    func encode(_ value: Int32) throws { self.value = try number(value) }
    func encode(_ value: Int64) throws { self.value = try number(value) }
    func encode(_ value: UInt) throws { self.value = try number(value) }
    func encode(_ value: UInt8) throws { self.value = try number(value) }
    func encode(_ value: UInt16) throws { self.value = try number(value) }
    func encode(_ value: UInt32) throws { self.value = try number(value) }
    func encode(_ value: UInt64) throws { self.value = try number(value) }
    func encode<T: Encodable>(_ value: T) throws { try set(value) }
}

/// Writes the members of an object.
private struct MemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    private func put(_ value: JSONValue, _ key: Key) { encoder.members[key.stringValue] = value }

    func encodeNil(forKey key: Key) { put(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { put(.bool(value), key) }
    func encode(_ value: String, forKey key: Key) { put(.string(value), key) }
    func encode(_ value: Double, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode(_ value: Float, forKey key: Key) throws { put(try encoder.number(Double(value)), key) }
    func encode(_ value: Int, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode(_ value: Int8, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode(_ value: Int16, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode(_ value: Int32, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode(_ value: Int64, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode(_ value: UInt, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode(_ value: UInt8, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode(_ value: UInt16, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode(_ value: UInt32, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode(_ value: UInt64, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { put(try encoder.encoded(value, at: key), key) }

    private func part(_ key: Key) -> JSONValueEncoder { encoder.part(.member(key.stringValue), at: key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { part(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { part(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder.part(.member("super"), at: JSONPathStep(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { part(key) }
}

/// Writes the elements of an array.
private struct ElementWriter: UnkeyedEncodingContainer {
    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.elements.count }

    private func put(_ value: JSONValue) { encoder.elements.append(value) }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }
    func encode(_ value: Double) throws { put(try encoder.number(value)) }
    func encode(_ value: Float) throws { put(try encoder.number(Double(value))) }
    func encode(_ value: Int) throws { put(try encoder.number(value)) }
    func encode(_ value: Int8) throws { put(try encoder.number(value)) }
    func encode(_ value: Int16) throws { put(try encoder.number(value)) }
    func encode(_ value: Int32) throws { put(try encoder.number(value)) }
    func encode(_ value: Int64) throws { put(try encoder.number(value)) }
    func encode(_ value: UInt) throws { put(try encoder.number(value)) }
    func encode(_ value: UInt8) throws { put(try encoder.number(value)) }
    func encode(_ value: UInt16) throws { put(try encoder.number(value)) }
    func encode(_ value: UInt32) throws { put(try encoder.number(value)) }
    func encode(_ value: UInt64) throws { put(try encoder.number(value)) }
    func encode<T: Encodable>(_ value: T) throws { put(try encoder.encoded(value, at: JSONPathStep(intValue: count))) }

    /// Keeps the next element's place for an encoder that is handed out.
    private func part() -> JSONValueEncoder {
        let index = count
        put(.null)
        return encoder.part(.element(index), at: JSONPathStep(intValue: index))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        part().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { part().unkeyedContainer() }
    func superEncoder() -> any Encoder { part() }
}
