public import AuthStateJOSE

/// One kind of access in detail, where a scope would be too coarse: a payment to one account (RFC 9396, section 2).
///
/// The API that defined the `type` decides which members there are beside the common ones.
public struct AuthorizationDetail: Sendable, Hashable, Redacted {
    /// Every member, `type` among them.
    public let members: [String: JSONValue]

    /// Makes a detail; empty members are left out.
    ///
    /// - Parameters:
    ///   - type: The kind of access.
    ///   - locations: The places of the resources, mostly URIs.
    ///   - actions: The actions to be allowed there.
    ///   - datatypes: The kinds of data that are wanted.
    ///   - identifier: The one resource that it is about.
    ///   - privileges: The levels of privilege.
    ///   - additionalMembers: Members of this type's own; the parameters above go before them.
    public init(
        type: String, locations: [String] = [], actions: [String] = [], datatypes: [String] = [],
        identifier: String? = nil, privileges: [String] = [], additionalMembers: [String: JSONValue] = [:]
    ) {
        var members = additionalMembers
        members["type"] = .string(type)
        let lists = [
            "locations": locations, "actions": actions, "datatypes": datatypes, "privileges": privileges,
        ]
        for (name, list) in lists where !list.isEmpty { members[name] = .array(list.map { .string($0) }) }
        if let identifier { members["identifier"] = .string(identifier) }
        self.members = members
    }

    /// Reads a detail; nil when that is no JSON object with a `type`.
    public init?(_ json: JSONValue) {
        guard let members = json.objectValue, members["type"]?.stringValue?.isEmpty == false else { return nil }
        self.members = members
    }

    /// The kind of access.
    public var type: String { members["type"]?.stringValue ?? "" }
    /// The places of the resources, mostly URIs.
    public var locations: [String] { list("locations") }
    /// The actions to be allowed there.
    public var actions: [String] { list("actions") }
    /// The kinds of data that are wanted.
    public var datatypes: [String] { list("datatypes") }
    /// The one resource that it is about.
    public var identifier: String? { members["identifier"]?.stringValue }
    /// The levels of privilege.
    public var privileges: [String] { list("privileges") }
    /// The detail as a JSON object.
    public var json: JSONValue { .object(members) }

    private func list(_ name: String) -> [String] { members[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }

    /// The type; amounts and accounts stay private.
    public var description: String { "authorization detail \(type.printable(100))" }
}

extension AuthorizationDetail: Codable {
    /// Decodes a JSON object with a `type`.
    public init(from decoder: any Decoder) throws {
        guard let detail = Self(try JSONValue(from: decoder)) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "An authorization detail has a type."))
        }
        self = detail
    }

    /// Encodes the JSON object.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

extension [AuthorizationDetail] {
    /// Reads `authorization_details`; nil when that is no array of objects that have a `type` each.
    public init?(authorizationDetails json: JSONValue) {
        guard let values = json.arrayValue else { return nil }
        let details = values.compactMap { AuthorizationDetail($0) }
        guard details.count == values.count else { return nil }
        self = details
    }

    /// The value of the parameter `authorization_details`, for requests that have no property for it.
    public var parameter: String { String(decoding: JSONValue.array(map(\.json)).serialized(), as: UTF8.self) }

    /// Refuses a type that is missing, or that the provider does not list (RFC 9396, section 10). Throws
    /// `AuthStateError`: `.invalidArgument`, `.invalidAuthorizationDetails`.
    func check(_ metadata: ProviderMetadata?, stage: AuthStateError.Stage) throws {
        guard allSatisfy({ !$0.type.isEmpty }) else {
            throw AuthStateError(
                .invalidArgument, stage: stage, "An authorization detail has no type.",
                hint: "Give each one the type that the API defines.")
        }
        guard let known = metadata?.authorizationDetailsTypesSupported,
            let foreign = first(where: { !known.containsExactly($0.type) })
        else { return }
        throw AuthStateError(
            .invalidAuthorizationDetails, stage: stage,
            "The provider does not know authorization details of this type.", expected: known.joined(separator: " "),
            received: foreign.type, hint: "Ask for types that the provider lists.")
    }
}
