public import AuthStateJOSE

/// HTTP header fields, in order; names compare without regard to case (RFC 9110, section 5.1).
public struct TransportHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral, Sequence {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The field name as it was sent or given.
        public var name: String
        /// The field value, without surrounding white space.
        public var value: String
    }

    private var fields: [Field] = []

    /// Makes an empty list.
    public init() {}

    /// Makes a list from a literal such as `["Accept": "application/json"]`.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// The first value of a field, nil without one; setting replaces all its lines by one, or removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value }
        set { self[values: name] = newValue.map { [$0] } ?? [] }
    }

    /// All values of a field, one for each line it was sent on; setting replaces them all.
    public subscript(values name: String) -> [String] {
        get { fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value) }
        set {
            fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
            for value in newValue { append(name, value) }
        }
    }

    /// Adds a field line, after those of the same name.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Iterates over the field lines in order.
    public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }
}

extension TransportHeaders: Redacted {
    /// The names alone: values can be credentials.
    public var description: String { "\(fields.map(\.name))" }
}

extension TransportHeaders.Field: Redacted {
    /// The name alone: the value can be a credential.
    public var description: String { name }
}
