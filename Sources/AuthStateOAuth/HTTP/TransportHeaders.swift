public import AuthStateJOSE

/// HTTP header fields, in order; names compare without regard to case (RFC 9110, section 5.1).
public struct TransportHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral, Sequence, Redacted {
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
    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// Iterates over the field lines in order.
    public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }

    /// The names alone: values can be credentials.
    public var description: String { "\(fields.map(\.name))" }

    /// For how many seconds an answer may be kept (RFC 9111, sections 4.2 and 5.2.2); nil when it does not say.
    ///
    /// `max-age` less `Age`. `no-store`, `no-cache` and an age of zero mean no lifetime: frameworks add them to all
    /// answers, public documents included.
    package var freshnessLifetime: Double? {
        let directives = self[values: "Cache-Control"].joined(separator: ",").lowercased()
            .filter { !" \t\"".contains($0) }.split(separator: ",")
        guard !directives.contains("no-store"), !directives.contains("no-cache"),
            let directive = directives.first(where: { $0.hasPrefix("max-age=") }),
            let age = Self.seconds(directive.dropFirst("max-age=".count))
        else { return nil }
        let lifetime = age - (self["Age"].flatMap(Self.seconds) ?? 0)
        return lifetime > 0 ? lifetime : nil
    }

    private static func seconds(_ text: some StringProtocol) -> Double? {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Double(text) : nil
    }
}

extension TransportHeaders.Field: Redacted {
    /// The name alone: the value can be a credential.
    public var description: String { name }
}
