import AuthStateFoundation

extension JSONValue {
    /// Encodes a value as UTF-8 JSON, as `serialized()` writes it; dates are seconds since 1970, and URLs are strings.
    /// Throws `EncodingError`, and what the value's own method throws.
    package static func serialized(encoding value: some Encodable) throws -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(usualLength)
        let encoder = JSONValueEncoder()
        try encoder.encode(value)
        encoder.write(to: &output)
        return output
    }
}

/// A value with its JSON, which was encoded before.
package struct EncodedJSON: Encodable {
    let text: [UInt8]
    private let value: any Encodable

    package init(_ text: [UInt8], of value: some Encodable) { (self.text, self.value) = (text, value) }

    /// Encodes the value for an encoder of another kind.
    package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

private final class JSONValueEncoder: Encoder {
    /// The way to what contains the value, and the step from there; put together when it is asked for.
    private let parent: Path?
    private let step: (any CodingKey)?
    private lazy var path = step.map { Path(step: $0, parent: parent) } ?? parent
    /// What has been encoded: an object or an array as soon as a container for one was handed out.
    private var single: JSONValue?
    fileprivate var members: [(key: String, value: Part)] = []
    fileprivate var elements: [Part] = []
    private var isArray = false

    enum Part {
        case json(JSONValue)
        case text([UInt8])
        /// An encoder that was handed out, and which may not be complete yet.
        case open(JSONValueEncoder)

        func write(to output: inout [UInt8]) {
            switch self {
            case .json(let value): value.write(to: &output)
            case .text(let text): output += text
            case .open(let encoder): encoder.write(to: &output)
            }
        }
    }

    /// The way to a value; not its encoder, which refers to those of its parts.
    final class Path {
        private let step: any CodingKey
        private let parent: Path?

        init(step: any CodingKey, parent: Path?) { (self.step, self.parent) = (step, parent) }

        var steps: [any CodingKey] { (parent?.steps ?? []) + [step] }
    }

    init(parent: Path? = nil, step: (any CodingKey)? = nil) { (self.parent, self.step) = (parent, step) }

    var codingPath: [any CodingKey] { path?.steps ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(MemberWriter<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        isArray = true
        return ElementWriter(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Writes what was encoded, when no more follows.
    func write(to output: inout [UInt8]) {
        if let single {
            single.write(to: &output)
        } else if isArray {
            JSONValue.write(elements, to: &output) { $0.write(to: &$1) }
        } else {
            JSONValue.write(members: members, to: &output) { $0.write(to: &$1) }
        }
    }

    /// Returns what a value inside this one is encoded as.
    func part<T: Encodable>(_ value: T, at step: some CodingKey) throws -> Part {
        if T.self == EncodedJSON.self, let value = value as? EncodedJSON { return .text(value.text) }
        if let json = try json(of: value, at: step) { return .json(json) }
        let encoder = part(at: step)
        try value.encode(to: encoder)
        return encoder.single.map(Part.json) ?? .open(encoder)
    }

    func part(at step: some CodingKey) -> JSONValueEncoder { JSONValueEncoder(parent: path, step: step) }

    /// Returns the JSON of a value that needs no encoder; nil for one that is encoded by its own method.
    private func json<T: Encodable>(of value: T, at step: (any CodingKey)? = nil) throws -> JSONValue? {
        if T.self == JSONValue.self { return value as? JSONValue }
        if T.self == [String: JSONValue].self { return (value as? [String: JSONValue]).map(JSONValue.object) }
        if T.self == [JSONValue].self { return (value as? [JSONValue]).map(JSONValue.array) }
        if T.self == Date.self { return try (value as? Date).map { try number($0.timeIntervalSince1970, at: step) } }
        if T.self == URL.self { return (value as? URL).map { .string($0.absoluteString) } }
        return nil
    }

    func number(_ value: Double, at step: (any CodingKey)? = nil) throws -> JSONValue {
        guard let number = JSONNumber(value) else {
            let path = codingPath + (step.map { [$0] } ?? [])
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: path, debugDescription: "JSON has no such number"))
        }
        return .number(number)
    }

    func number(_ value: some FixedWidthInteger) throws -> JSONValue {
        guard let number = Int64(exactly: value) else { return try self.number(Double(value)) }
        return .number(JSONNumber(number))
    }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { single = .null }
    func encode(_ value: Bool) { single = .bool(value) }
    func encode(_ value: String) { single = .string(value) }
    func encode(_ value: Double) throws { single = try number(value) }
    func encode(_ value: Float) throws { single = try number(Double(value)) }
    func encode(_ value: some FixedWidthInteger & Encodable) throws { single = try number(value) }
    func encode<T: Encodable>(_ value: T) throws {
        single = try json(of: value)
        if single == nil { try value.encode(to: self) }
    }
}

private struct MemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    private func put(_ value: JSONValue, _ key: Key) { put(.json(value), key.stringValue) }
    private func put(_ part: JSONValueEncoder.Part, _ name: String) { encoder.members.append((name, part)) }

    func encodeNil(forKey key: Key) { put(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { put(.bool(value), key) }
    func encode(_ value: String, forKey key: Key) { put(.string(value), key) }
    func encode(_ value: Double, forKey key: Key) throws { put(try encoder.number(value), key) }
    func encode(_ value: Float, forKey key: Key) throws { put(try encoder.number(Double(value)), key) }
    func encode(_ value: some FixedWidthInteger & Encodable, forKey key: Key) throws {
        put(try encoder.number(value), key)
    }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        put(try encoder.part(value, at: key), key.stringValue)
    }

    private func part(_ step: some CodingKey) -> JSONValueEncoder {
        let part = encoder.part(at: step)
        put(.open(part), step.stringValue)
        return part
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { part(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { part(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { part(JSONPathStep(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { part(key) }
}

private struct ElementWriter: UnkeyedEncodingContainer {
    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.elements.count }

    private func put(_ value: JSONValue) { put(.json(value)) }
    private func put(_ part: JSONValueEncoder.Part) { encoder.elements.append(part) }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }
    func encode(_ value: Double) throws { put(try encoder.number(value)) }
    func encode(_ value: Float) throws { put(try encoder.number(Double(value))) }
    func encode(_ value: some FixedWidthInteger & Encodable) throws { put(try encoder.number(value)) }
    func encode<T: Encodable>(_ value: T) throws { put(try encoder.part(value, at: JSONPathStep(intValue: count))) }

    private func part() -> JSONValueEncoder {
        let part = encoder.part(at: JSONPathStep(intValue: count))
        put(.open(part))
        return part
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        part().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { part().unkeyedContainer() }
    func superEncoder() -> any Encoder { part() }
}
