public import AuthStateFoundation
public import AuthStateJOSE

/// A provider's metadata document (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2), unknown members kept.
public struct ProviderMetadata: Sendable, Hashable {
    /// The whole document.
    public let document: [String: JSONValue]

    /// Checks that every member that the specifications define is of its type.
    ///
    /// - Throws: `AuthStateError` with `.invalidMetadata` that names the member.
    public init(document: [String: JSONValue]) throws {
        for (name, value) in document {
            guard let type = Self.members[name], !type.accepts(value) else { continue }
            throw AuthStateError(
                .invalidMetadata, stage: .discovery, "The provider's metadata has a malformed member, \(name).",
                expected: type.rawValue, hint: "Give the endpoints by hand, or ask the provider to mend its document."
            )
        }
        self.document = document
    }

    /// Reads a document.
    ///
    /// - Throws: `AuthStateError` with `.invalidMetadata` when it is no JSON object or a member is malformed.
    public init(parsing body: Data) throws {
        let json: JSONValue
        do { json = try JSONValue(parsing: [UInt8](body)) } catch {
            throw AuthStateError(
                .invalidMetadata, stage: .discovery, "The provider's metadata is not JSON.", underlying: error)
        }
        guard let document = json.objectValue else {
            throw AuthStateError(.invalidMetadata, stage: .discovery, "The provider's metadata is not a JSON object.")
        }
        try self.init(document: document)
    }

    /// The types that members can have.
    enum MemberType: String {
        case string = "a string"
        case url = "an absolute http(s) URL"
        case strings = "an array of strings"
        case flag = "true or false"
        case object = "an object"

        func accepts(_ value: JSONValue) -> Bool {
            switch self {
            case .string: value.stringValue != nil
            case .url: value.stringValue.flatMap(ProviderMetadata.endpoint) != nil
            case .strings: value.arrayValue?.allSatisfy { $0.stringValue != nil } ?? false
            case .flag: value.boolValue != nil
            case .object: value.objectValue != nil
            }
        }
    }

    /// An absolute http(s) URL with a plain host and without a fragment.
    static func endpoint(_ text: String) -> URL? {
        guard let url = URL(string: text) else { return nil }
        let parts = URIReference(url.absoluteString)
        guard parts.hasScheme("https") || parts.hasScheme("http"), parts.hasPlainHost, parts.fragment == nil
        else { return nil }
        return url
    }

    func string(_ name: String) -> String? { document[name]?.stringValue }
    func url(_ name: String) -> URL? { string(name).flatMap(Self.endpoint) }
    func strings(_ name: String) -> [String]? { document[name]?.arrayValue?.compactMap(\.stringValue) }
    func flag(_ name: String) -> Bool? { document[name]?.boolValue }
}

extension ProviderMetadata: Codable {
    /// Decodes a document that was checked on arrival: a later version, which knows more members, must not lose the
    /// state that contains it. A member of another type reads as absent.
    public init(from decoder: any Decoder) throws {
        document = try decoder.singleValueContainer().decode([String: JSONValue].self)
    }

    /// Encodes the document as it came.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(document)
    }
}

extension ProviderMetadata {
    /// The issuer as a template; nil when it is none.
    package var tenantIssuer: TenantIssuer? { issuer.flatMap(TenantIssuer.init) }
}
