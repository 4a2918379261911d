public import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateStorage

/// A state as it is stored: JSON with a format version, dates absolute in seconds since 1970.
public struct AuthStateArchive: Sendable, Hashable {
    /// The format that this version writes, and the only one that it reads: earlier ones were never released.
    package static let currentFormat = 3
    /// The state.
    public var record: AuthState.Record

    /// Wraps a state.
    public init(_ record: AuthState.Record) { self.record = record }

    /// Reads stored bytes.
    ///
    /// - Throws: `AuthStateError` with `.storeCorrupt`, or `.storeTooNew` when a newer version wrote them.
    public init(data: Data) throws {
        let json: JSONValue
        var known = KnownConfigurations.reader()
        let bytes = [UInt8](data)
        do { json = try JSONValue(parsing: bytes, except: &known.member) } catch { throw Self.corrupt(error) }
        if SealedArchive.isSealed(json) { throw AuthStateError.storeSealed() }
        guard let format = json["format"]?.intValue else { throw Self.corrupt(nil) }
        guard format == Self.currentFormat else {
            let isNewer = format > Self.currentFormat
            throw AuthStateError(
                isNewer ? .storeTooNew : .storeCorrupt, stage: .store,
                "The stored state was written by \(isNewer ? "a newer version" : "a version before the first release").",
                expected: "format \(Self.currentFormat)", received: "format \(format)",
                hint: isNewer
                    ? "Update this program; the stored state was left as it is."
                    : "Move the stored state away and log in again; it was left as it is.")
        }
        do {
            record = try json.decoded(as: Envelope.self, userInfo: known.userInfo).state
        } catch { throw Self.corrupt(error) }
        record.unknownMembers = (json["state"]?.objectValue ?? [:])
            .filter { !AuthState.Record.knownMembers.contains($0.key) }
        known.remember(record.client.provider, from: bytes)
    }

    /// Returns whether bytes begin as an archive does, readable or not; other bytes belong to another program.
    public static func isArchive(_ data: Data) -> Bool { data.isPlainArchive }

    /// Returns the bytes to store.
    public func data() throws -> Data {
        Data(try JSONValue.serialized(encoding: Envelope(format: Self.currentFormat, state: record)))
    }

    private struct Envelope: Codable {
        var format: Int
        var state: AuthState.Record
    }

    private static func corrupt(_ underlying: (any Error)?) -> AuthStateError {
        // A decoding error names the member; it does not show the content.
        let place =
            (underlying as? DecodingError).map(Self.path)
            ?? (underlying as? JSONError).map { "no JSON (\($0))" }
        return AuthStateError(
            .storeCorrupt, stage: .store, "The stored state cannot be parsed; it was left as it is.", received: place,
            hint: "Move it away and log in again.")
    }

    private static func path(_ error: DecodingError) -> String {
        let context: DecodingError.Context
        switch error {
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
            .dataCorrupted(let found):
            context = found
        @unknown default: return "unknown"
        }
        return "something else at /" + context.codingPath.map(\.stringValue).joined(separator: "/")
    }
}

extension AuthState.Record: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case configuration, clientID, credential, lastAuthorizationResponse, lastTokenResponse
        case lastRegistrationResponse, refreshToken, scope, idToken, idTokenTrust, authorizationError
        case dpopKey, resources, authorizationDetails, clientCredentials, jwtBearer, assertionGrant
        case grantEpoch, grantID, revision
        case renewalPause, annotations, stamps
    }

    fileprivate static let knownMembers = Set(CodingKeys.allCases.map(\.rawValue))

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Decodes a state; members that this version does not know are kept.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func optional<T: Decodable>(_ type: T.Type, _ key: CodingKeys) throws -> T? {
            try container.decodeIfPresent(type, forKey: key)
        }
        self.init(
            Client(
                try KnownConfigurations.found(by: decoder)
                    ?? container.decode(ProviderConfiguration.self, forKey: .configuration),
                id: try container.decode(String.self, forKey: .clientID),
                credential: try optional(ClientCredential.self, .credential) ?? .none))
        lastAuthorizationResponse = try optional(AuthorizationResponse.self, .lastAuthorizationResponse)
        lastTokenResponse = try optional(TokenResponse.self, .lastTokenResponse)
        lastRegistrationResponse = try optional(RegistrationResponse.self, .lastRegistrationResponse)
        refreshToken = try optional(String.self, .refreshToken)
        dpopKey = try optional(DPoPKey.self, .dpopKey)
        scope = try optional(String.self, .scope)
        resources = try optional([String].self, .resources) ?? []
        authorizationDetails = try optional([AuthorizationDetail].self, .authorizationDetails)
        idToken = try optional(String.self, .idToken)
        idTokenTrust = try optional(IDTokenTrust.self, .idTokenTrust)
        authorizationError = try optional(AuthStateError.self, .authorizationError)
        machineGrant =
            try optional(AuthState.ClientCredentialsGrant.self, .clientCredentials).map { .clientCredentials($0) }
            ?? optional(JWTBearerGrant.self, .jwtBearer).map { .jwtBearer($0) }
            ?? optional(AssertionGrant.self, .assertionGrant).map { .assertion($0) }
        grantEpoch = try optional(Int.self, .grantEpoch) ?? 0
        grantID = try optional(String.self, .grantID) ?? ""
        revision = try optional(Int.self, .revision) ?? 0
        renewalPause = try optional(AuthState.RenewalPause.self, .renewalPause)
        annotations = try optional([String: String].self, .annotations) ?? [:]
        stamps = try optional(AuthState.Stamps.self, .stamps) ?? AuthState.Stamps()
        // An archive sets them from its JSON, for less.
        guard !KnownConfigurations.reads(by: decoder) else { return }
        let all = try decoder.container(keyedBy: AnyKey.self)
        for key in all.allKeys where !Self.knownMembers.contains(key.stringValue) {
            unknownMembers[key.stringValue] = try all.decode(JSONValue.self, forKey: key)
        }
    }

    /// Encodes the state, with the members that this version does not know.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(KnownConfigurations.encoded(client.provider), forKey: .configuration)
        try container.encode(client.id, forKey: .clientID)
        try container.encode(client.credential, forKey: .credential)
        // Without its client and its key, which are not to be kept twice.
        try container.encodeIfPresent(spentAuthorization?.response, forKey: .lastAuthorizationResponse)
        try container.encodeIfPresent(lastTokenResponse, forKey: .lastTokenResponse)
        try container.encodeIfPresent(lastRegistrationResponse, forKey: .lastRegistrationResponse)
        try container.encodeIfPresent(refreshToken, forKey: .refreshToken)
        try container.encodeIfPresent(dpopKey, forKey: .dpopKey)
        try container.encodeIfPresent(scope, forKey: .scope)
        if !resources.isEmpty { try container.encode(resources, forKey: .resources) }
        try container.encodeIfPresent(authorizationDetails, forKey: .authorizationDetails)
        try container.encodeIfPresent(idToken, forKey: .idToken)
        try container.encodeIfPresent(idTokenTrust, forKey: .idTokenTrust)
        try container.encodeIfPresent(authorizationError, forKey: .authorizationError)
        try container.encodeIfPresent(clientCredentials, forKey: .clientCredentials)
        try container.encodeIfPresent(jwtBearer, forKey: .jwtBearer)
        try container.encodeIfPresent(assertionGrant, forKey: .assertionGrant)
        try container.encode(grantEpoch, forKey: .grantEpoch)
        try container.encode(grantID, forKey: .grantID)
        try container.encode(revision, forKey: .revision)
        try container.encodeIfPresent(renewalPause, forKey: .renewalPause)
        if stamps != AuthState.Stamps() { try container.encode(stamps, forKey: .stamps) }
        if !annotations.isEmpty { try container.encode(annotations, forKey: .annotations) }
        var rest = encoder.container(keyedBy: AnyKey.self)
        for (name, value) in unknownMembers { try rest.encode(value, forKey: AnyKey(stringValue: name)) }
    }
}
