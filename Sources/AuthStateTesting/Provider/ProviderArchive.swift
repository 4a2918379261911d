import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateStorage

/// What a provider keeps in a file: grants, tokens, the clients that registered, and its keys. Codes, logins in progress and
/// browsers are lost with the process.
struct ProviderArchive: Codable {
    private var format = 2
    private var keys, retiredKeys: [JSONValue]
    private var keyCount: Int
    private var grants: [String: KeptGrant]
    private var accessTokens: [String: ProviderState.AccessToken]
    private var refreshTokens: [String: ProviderState.RefreshToken]
    private var registrations: [String: ProviderState.Registration]
    /// The secrets of the clients that registered.
    private var secrets: [String: String]

    private struct KeptGrant: Codable {
        var clientID, subject, sessionID: String
        var nonce: String?
        var scopes, resources: [String]
        var authorizationDetails: [JSONValue]
        var requestedClaims: RequestedClaims
        var authenticatedAt: Double
    }

    init(_ state: ProviderState, _ keys: ProviderKeys, now: Double) {
        let kept = keys.kept
        (self.keys, retiredKeys) = (kept.signing.map(\.privateKey.privateJSON), kept.retired.map(\.json))
        keyCount = kept.count
        grants = state.grants.filter { !$0.value.isRevoked }.mapValues { grant in
            KeptGrant(
                clientID: grant.clientID, subject: grant.user.subject, sessionID: grant.sessionID, nonce: grant.nonce,
                scopes: grant.scopes, resources: grant.resources,
                authorizationDetails: grant.authorizationDetails.map(\.json), requestedClaims: grant.requestedClaims,
                authenticatedAt: grant.authenticatedAt)
        }
        // JSON has no infinite numbers. Spent refresh tokens stay: their use is noticed after a restart too.
        accessTokens = state.accessTokens.filter { now < $0.value.expiresAt && $0.value.expiresAt.isFinite }
        refreshTokens = state.refreshTokens.filter { now < $0.value.expiresAt }.mapValues { token in
            var token = token
            if !token.expiresAt.isFinite { token.expiresAt = Self.never }
            return token
        }
        registrations = state.registrations
        secrets = registrations.reduce(into: [:]) { $0[$1.key] = state.base.client($1.key)?.secret }
    }

    /// The end of a token that does not end, in seconds since 1970.
    private static let never = 0x1p52

    /// Gives a new provider what was kept; a grant of a user who is no longer known has ended.
    func restore(_ state: inout ProviderState, _ keys: ProviderKeys) throws {
        let times =
            grants.values.map(\.authenticatedAt) + registrations.values.map(\.issuedAt)
            + accessTokens.values.map(\.expiresAt) + refreshTokens.values.map(\.expiresAt)
        guard format == 2, keyCount >= 0, times.allSatisfy((0...Self.never).contains) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        try keys.restore(
            self.keys.map { try SigningKey(JSONWebKey(json: $0)) },
            retired: retiredKeys.map { try JSONWebKey(json: $0) }, count: keyCount)
        for (id, kept) in registrations {
            state.base.clients.append(try state.client(of: kept.metadata, id: id, secret: secrets[id]))
        }
        state.registrations = registrations
        for (id, kept) in grants {
            guard let user = state.base.users.first(where: { $0.subject == kept.subject }) else { continue }
            state.grants[id] = ProviderState.Grant(
                clientID: kept.clientID, user: user, scopes: kept.scopes, nonce: kept.nonce,
                requestedClaims: kept.requestedClaims, resources: kept.resources,
                authorizationDetails: kept.authorizationDetails.compactMap { AuthorizationDetail($0) },
                authenticatedAt: kept.authenticatedAt, sessionID: kept.sessionID)
        }
        state.accessTokens = accessTokens.filter { token in token.value.grant.map { state.grants[$0] != nil } ?? true }
        state.refreshTokens = refreshTokens.filter { state.grants[$0.value.grant] != nil }
    }
}

extension ProviderCore {
    /// Reads what an earlier provider kept; does nothing where there is no file.
    ///
    /// - Throws: `AuthStateError` of kind usage when the file cannot be read or written, or another user's link leads to it.
    func restore(from file: String) throws {
        // A link of another user's would have them choose what is read and written.
        let file = (try? FilePath.resolved(FilePath.absolute(file))) ?? file
        if FileManager.default.fileExists(atPath: file) {
            do {
                let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
                let archive = try JSONValue(parsing: bytes).decoded(as: ProviderArchive.self)
                try state.withLock { try archive.restore(&$0, keys) }
            } catch {
                throw AuthStateError(
                    .invalidArgument, stage: .usage, "The file is not one that this provider wrote.", received: file,
                    hint: "Name a file that does not exist yet, or one that a provider of this version wrote.")
            }
        }
        do { try keep(in: file) } catch {
            let refusal = error as? AuthStateError
            throw AuthStateError(
                .invalidArgument, stage: .usage, refusal?.message ?? "The provider's file cannot be written.",
                expected: refusal?.expected, received: file,
                hint: refusal?.hint ?? "Name a file in a folder that you can write to.")
        }
    }

    /// Writes what has changed.
    func keep(in file: String) throws {
        let archive = ProviderArchive(state.withLock { $0 }, keys, now: now)
        try FilePath.replace(FilePath.absolute(file), with: [UInt8](JSONValue.serialized(encoding: archive)))
    }
}
