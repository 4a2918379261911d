public import AuthStateJOSE

/// Parameters of a query or a form, in order; a name may come more than once.
public struct Parameters: Sendable, Hashable, Codable, ExpressibleByDictionaryLiteral, Redacted {
    private var pairs: [Pair]

    private struct Pair: Hashable, Codable {
        var name: String
        var value: String
    }

    /// Makes an empty list.
    public init() { pairs = [] }

    /// Makes a list from a literal such as `["audience": "https://api.example"]`.
    public init(dictionaryLiteral elements: (String, String)...) { pairs = elements.map { Pair(name: $0, value: $1) } }

    /// Reads a query or form (without a leading `?`); `+` and `%20` are both spaces.
    ///
    /// Nil when an escape is malformed or the bytes are not UTF-8.
    public init?(decoding text: some StringProtocol) {
        self.init(text, decode: PercentEncoding.decode) { _, _ in nil }
    }

    /// Reads the answer in a callback, where a text for people may be in another encoding than UTF-8; nil when a name, or a
    /// parameter by which something is decided, cannot be read. One of more than 30 combining marks in a row, which JSON may not have
    /// either, cannot be read; as another parameter's value it is left out.
    package init?(answer text: some StringProtocol) {
        self.init(text) { text in
            PercentEncoding.decode(text).flatMap { $0.hasTooManyMarks ? nil : $0 }
        } mend: { name, value in
            guard !Self.decisive.contains(name) else { return nil }
            Leniency.unusableMember.note(name)
            return PercentEncoding.readable(value)
        }
        pairs.removeAll { $0.value.hasTooManyMarks }
    }

    /// - Parameters:
    ///   - decode: Returns a name or a value; nil when it cannot be read.
    ///   - mend: Returns the value of a parameter that cannot be read, or nil.
    private init?(
        _ text: some StringProtocol, decode: (Substring) -> String?,
        mend: (_ name: String, _ value: Substring) -> String?
    ) {
        pairs = []
        for part in Substring(text).split(separator: "&", omittingEmptySubsequences: true) {
            let name = part.prefix { $0 != "=" }
            let value = part[name.endIndex...].dropFirst()
            guard let name = decode(name), let value = decode(value) ?? mend(name, value) else { return nil }
            pairs.append(Pair(name: name, value: value))
        }
    }

    /// The parameters of an answer by which something is decided.
    package static let decisive: Set<String> = ["code", "error", "id_token", "iss", "response", "state"]

    /// The list as a query or form; a space is `%20`.
    public var encoded: String {
        pairs.map { "\(PercentEncoding.uri($0.name))=\(PercentEncoding.uri($0.value))" }.joined(separator: "&")
    }

    /// The first value under a name; setting replaces all of them, nil removes them.
    public subscript(name: String) -> String? {
        get { pairs.first { $0.name == name }?.value }
        set {
            let place = pairs.firstIndex { $0.name == name } ?? pairs.endIndex
            pairs.removeAll { $0.name == name }
            if let newValue { pairs.insert(Pair(name: name, value: newValue), at: min(place, pairs.endIndex)) }
        }
    }

    /// Every value under a name.
    public func values(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// Adds a parameter at the end, also when the name is there already.
    public mutating func append(_ name: String, _ value: String) { pairs.append(Pair(name: name, value: value)) }

    /// The names in order, repeated ones once.
    public var names: [String] {
        var seen: Set<String> = []
        return pairs.map(\.name).filter { seen.insert($0).inserted }
    }

    /// Whether there are none.
    public var isEmpty: Bool { pairs.isEmpty }
    package var repeatedName: String? { repeatedNames.first }

    /// The names that come more than once, in order.
    package var repeatedNames: [String] {
        let counts = pairs.reduce(into: [:]) { $0[$1.name, default: 0] += 1 }
        return names.filter { counts[$0, default: 0] > 1 }
    }

    /// Returns the values of a name in one text; nil when it has none. Some servers send a text one letter at a time.
    func joined(_ name: String) -> String? {
        let values = values(name)
        guard !values.isEmpty else { return nil }
        return values.joined(separator: values.allSatisfy { $0.count <= 1 } ? "" : " ")
    }

    /// Adds all of another list; those of its names that are here already are replaced.
    package mutating func merge(_ other: Parameters) {
        pairs.removeAll { pair in other.pairs.contains { $0.name == pair.name } }
        pairs += other.pairs
    }

    /// The names alone: values can be codes and tokens.
    public var description: String { "\(names)" }
}
