import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

/// What a provider keeps in a file: grants, tokens, the clients that registered, and its keys. Codes, logins in progress and
/// browsers are lost with the process.
struct ProviderArchive: Codable {
    private var format = 1
    private var keys: [JSONValue]
    private var grants: [String: KeptGrant]
    private var accessTokens: [String: ProviderState.AccessToken]
    private var refreshTokens: [String: ProviderState.RefreshToken]
    private var registrations: [String: KeptRegistration]

    private struct KeptGrant: Codable {
        var clientID, subject, sessionID: String
        var nonce: String?
        var scopes, resources: [String]
        var authorizationDetails: [JSONValue]
        var requestedClaims: RequestedClaims
        var authenticatedAt: Double
        var isRevoked: Bool
    }

    private struct KeptRegistration: Codable {
        var token: String
        var secret: String?
        var metadata: [String: JSONValue]
        var issuedAt: Double
    }

    init(_ state: ProviderState, _ keys: ProviderKeys) {
        self.keys = keys.signing.map(\.privateKey.privateJSON)
        grants = state.grants.mapValues { grant in
            KeptGrant(
                clientID: grant.clientID, subject: grant.user.subject, sessionID: grant.sessionID, nonce: grant.nonce,
                scopes: grant.scopes, resources: grant.resources,
                authorizationDetails: grant.authorizationDetails.map(\.json), requestedClaims: grant.requestedClaims,
                authenticatedAt: grant.authenticatedAt, isRevoked: grant.isRevoked)
        }
        // JSON has no infinite numbers.
        accessTokens = state.accessTokens.filter { $0.value.expiresAt.isFinite }
        refreshTokens = state.refreshTokens.mapValues { token in
            var token = token
            if !token.expiresAt.isFinite { token.expiresAt = Self.never }
            return token
        }
        registrations = state.registrations.reduce(into: [:]) { kept, entry in
            kept[entry.key] = KeptRegistration(
                token: entry.value.token, secret: state.base.client(entry.key)?.secret, metadata: entry.value.metadata,
                issuedAt: entry.value.issuedAt)
        }
    }

    /// The end of a token that does not end, in seconds since 1970.
    private static let never = 0x1p52

    /// Gives a new provider what was kept; a grant of a user who is no longer known has ended.
    func restore(_ state: inout ProviderState, _ keys: ProviderKeys) throws {
        guard format == 1 else { throw CocoaError(.fileReadCorruptFile) }
        try keys.restore(self.keys.map { try SigningKey(JSONWebKey(json: $0)) })
        for (id, kept) in registrations {
            let client = try state.client(of: kept.metadata, id: id, secret: kept.secret, now: kept.issuedAt)
            state.base.clients.append(client)
            state.registrations[id] = ProviderState.Registration(
                token: kept.token, metadata: kept.metadata, issuedAt: kept.issuedAt)
        }
        for (id, kept) in grants {
            guard let user = state.base.users.first(where: { $0.subject == kept.subject }) else { continue }
            state.grants[id] = ProviderState.Grant(
                clientID: kept.clientID, user: user, scopes: kept.scopes, nonce: kept.nonce,
                requestedClaims: kept.requestedClaims, resources: kept.resources,
                authorizationDetails: kept.authorizationDetails.compactMap { AuthorizationDetail($0) },
                authenticatedAt: kept.authenticatedAt, sessionID: kept.sessionID, isRevoked: kept.isRevoked)
        }
        state.accessTokens = accessTokens.filter { token in token.value.grant.map { state.grants[$0] != nil } ?? true }
        state.refreshTokens = refreshTokens.filter { state.grants[$0.value.grant] != nil }
    }
}

extension ProviderCore {
    /// Reads what an earlier provider kept; does nothing where there is no file.
    ///
    /// - Throws: `AuthStateError` of kind usage when the file cannot be read or written.
    func restore(from file: String) throws {
        do {
            if FileManager.default.fileExists(atPath: file) {
                let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
                let archive = try JSONValue(parsing: bytes).decoded(as: ProviderArchive.self)
                try state.withLock { try archive.restore(&$0, keys) }
            }
            try keep(in: file)
        } catch {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "The provider's file cannot be read and written.", received: file,
                hint: "Choose another file, or remove this one: it has test data alone.", underlying: error)
        }
    }

    /// Writes what has changed.
    func keep(in file: String) throws {
        let archive = ProviderArchive(state.withLock { $0 }, keys)
        try Data(JSONValue.serialized(encoding: archive)).write(to: URL(filePath: file), options: .atomic)
        try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
}
