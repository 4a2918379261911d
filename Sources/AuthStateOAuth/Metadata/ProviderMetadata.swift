public import AuthStateFoundation
public import AuthStateJOSE

/// A provider's metadata document (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2), unknown members kept.
public struct ProviderMetadata: Sendable, Hashable {
    /// The whole document, which also has the members without a property here.
    public let document: [String: JSONValue]

    /// Checks the members that every login needs; another member that cannot be used is absent.
    ///
    /// - Throws: `AuthStateError` with `.invalidMetadata` that names the member.
    public init(document: [String: JSONValue]) throws {
        let members = AnswerMembers(document)
        for name in document.keys {
            guard let type = Self.members[name], !type.isUsable(name, in: members), members[name] != nil,
                Self.needed.contains(name)
            else { continue }
            throw AuthStateError(
                .invalidMetadata, stage: .discovery, "The provider's metadata has a malformed member, \(name).",
                expected: type.rawValue, hint: "Give the endpoints by hand, or ask the provider to mend its document.")
        }
        self.document = document
    }

    /// A login cannot do without these, or would go to another place.
    private static let needed: Set<String> = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"]

    /// Reads a document; throws `AuthStateError` with `.invalidMetadata` when it is no JSON object, or lacks a usable
    /// member that is needed.
    public init(parsing body: Data) throws {
        let json: JSONValue
        do { json = try JSONValue(answer: body) } catch {
            throw AuthStateError(
                .invalidMetadata, stage: .discovery, "The provider's metadata is not JSON.", hint: Self.placeHint,
                httpStatus: 200, underlying: error)
        }
        guard let document = json.objectValue else {
            throw AuthStateError(
                .invalidMetadata, stage: .discovery, "The provider's metadata is not a JSON object.",
                hint: Self.placeHint, httpStatus: 200)
        }
        guard document.keys.contains(where: { Self.members[$0] != nil }) else {
            throw AuthStateError(
                .invalidMetadata, stage: .discovery, "The place of the provider's metadata has another document.",
                expected: "issuer", hint: Self.placeHint, httpStatus: 200)
        }
        try self.init(document: document)
    }

    private static let placeHint = "Check the issuer, or give the endpoints by hand."

    enum MemberType: String {
        case string = "a string"
        case url = "an absolute http(s) URL"
        case strings = "an array of strings"
        case words = "an array of words"
        case flag = "true or false"
        case object = "an object"

        func isUsable(_ name: String, in members: AnswerMembers) -> Bool {
            switch self {
            case .string: members.text(name) != nil
            case .url: members.text(name, ProviderMetadata.endpoint) != nil
            case .strings: members.texts(name) != nil
            case .words: members.wordList(name) != nil
            case .flag: members.flag(name) != nil
            case .object: members.object(name) != nil
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

    func string(_ name: String) -> String? { AnswerMembers(document).text(name) }
    func url(_ name: String) -> URL? { string(name).flatMap(Self.endpoint) }
    /// A list; one without elements should have been left out (RFC 8414, section 3.2).
    func strings(_ name: String) -> [String]? {
        let members = AnswerMembers(document)
        let texts = Self.members[name] == .words ? members.wordList(name) : members.texts(name)
        guard let texts, !texts.isEmpty else {
            if document[name] != nil { Leniency.unusableMember.note(name) }
            return nil
        }
        return texts
    }
    func flag(_ name: String) -> Bool? { AnswerMembers(document).flag(name) }
    func object(_ name: String) -> [String: JSONValue]? { AnswerMembers(document).object(name) }
    /// Whether the document names an endpoint, or has a member of another type in whatever form.
    func names(_ member: String) -> Bool { Self.members[member] == .url ? url(member) != nil : document[member] != nil }

    /// The issuer as a template; nil when it is none.
    package var tenantIssuer: TenantIssuer? { issuer.flatMap(TenantIssuer.init) }
    package var endpoints: [URL] { Self.endpointNames.compactMap(url) }

    /// Whether the provider's other document may name more: OpenID Connect Discovery leaves out what RFC 8414 defines.
    package var mayBeCompleted: Bool {
        ["registration_endpoint", "revocation_endpoint", "introspection_endpoint"].contains { url($0) == nil }
    }

    /// The document with the endpoints that only another one of the same issuer names, and how to log in to them.
    ///
    /// Where both name an endpoint, this document's stands; nothing else is copied. The caller has compared the issuers
    /// and checked the other document's endpoints.
    package func completed(by other: ProviderMetadata) throws -> ProviderMetadata {
        let missing = Self.endpointNames.filter { url($0) == nil && other.url($0) != nil }
        let added = other.document.filter { name, _ in
            missing.contains { name == $0 || name.hasPrefix("\($0)_auth_") }
        }
        return try ProviderMetadata(
            document: document.merging(added) { own, new in own == .null || own == "" ? new : own })
    }

    private static let endpointNames = members.filter { $0.value == .url }.map(\.key).sorted()

    /// The specification that a metadata document follows; it decides where the document is and what it must have.
    public enum Kind: Sendable, Hashable {
        /// OpenID Connect Discovery 1.0, section 3.
        case openIDConnect
        /// RFC 8414, section 2: a provider without OpenID Connect need not name any keys.
        case authorizationServer

        /// The members that a document must have besides the issuer.
        func required(of metadata: ProviderMetadata) -> [String] {
            switch self {
            case .openIDConnect:
                [
                    "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
                    "subject_types_supported", "id_token_signing_alg_values_supported",
                ]
            case .authorizationServer:
                (metadata.usesAuthorizationEndpoint ? ["authorization_endpoint"] : [])
                    + ["token_endpoint", "response_types_supported"]
            }
        }
    }

    /// Whether a grant that is supported begins at the authorization endpoint; absent means the code and implicit ones.
    private var usesAuthorizationEndpoint: Bool {
        grantTypesSupported?.contains { ["authorization_code", "implicit"].contains($0) } ?? true
    }
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

extension Issuer {
    package func metadataURL(_ kind: ProviderMetadata.Kind) -> URL? {
        switch kind {
        case .openIDConnect: openIDConfigurationURL
        case .authorizationServer: authorizationServerMetadataURL
        }
    }
}
