public import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
public import AuthStateStorage

/// A store that also finds states by what the provider calls them: its session (`sid`) and its user (`sub`).
///
/// A logout token (OpenID Connect Back-Channel Logout 1.0) names these, and not the keys of a server's sessions. The index is
/// kept in the same store, an entry for each session and each user, so that every server of the store has it:
///
/// ```swift
/// let store = IndexedAuthStateStore(try SealedAuthStateStore(database, keys: keys))
/// let pool = AuthStatePool(store: store, service: service)
/// try await pool.logOut(try await service.logoutToken(posted, configuration: provider, clientID: "web"))
/// ```
///
/// A login is in the index before it is stored, and leaves it when it has ended; one that was stored without the index is added
/// at its next renewal. An entry without a state, left by a crash, ends
/// nothing; `entries(savedBefore:)`, and so a sweep of the pool, removes it.
///
/// A user has 10,000 sessions at most: the pool then ends the oldest one at each login.
///
/// The end of a session, as a logout token reports it, stays in the entry for a quarter of an hour after the token's `exp`, and
/// until a sweep lists the entry: sweep the store. A login whose ID token was on its way when the token came is not in the index yet, and the pool ends it when it is
/// added. Only tokens with the provider's signature, and `AuthStatePool.logOut(user:at:)`, leave such records, one for each session
/// or user.
///
/// Put it around all other stores: it reads the ID tokens of the archives, which a sealing store has to open first.
public struct IndexedAuthStateStore: AuthStateStore {
    let base: any AuthStateStore
    let index: SessionIndex

    /// Makes a store with an index, which the given store keeps beside the states.
    public init(_ base: any AuthStateStore) {
        self.base = base
        index = SessionIndex(store: base)
    }

    /// The keys of a name's sessions, the oldest first, each with the grant that it has to be.
    ///
    /// - Parameter end: The end of the sessions that count; nil counts all.
    func grants(
        of name: SessionName, until end: SessionIndexEntry.End? = nil
    ) async throws -> [(key: AuthStateKey, grant: String)] {
        try await index.sessions(of: name).filter { $0.value.begun <= end?.through ?? .infinity }
            .sorted { ($0.value.begun, $0.key) < ($1.value.begun, $1.key) }
            .map { (AuthStateKey(rawValue: $0.key), $0.value.grant) }
    }

    /// The number of sessions of one user above which a login ends the oldest one: an entry is written as a whole at each login.
    static let maximumSessions = 10_000

    /// The oldest sessions that an ID token's user has beyond the maximum: a few at a time, each with the grant that it has to be.
    func surplus(of token: IDToken) async throws -> [(name: SessionName, key: AuthStateKey, grant: String)] {
        var surplus: [(name: SessionName, key: AuthStateKey, grant: String)] = []
        for name in SessionName.all(of: token) {
            let count = try await index.sessions(of: name).count
            guard count > Self.maximumSessions else { continue }
            for session in try await grants(of: name).prefix(min(count - Self.maximumSessions, 4)) {
                surplus.append((name, session.key, session.grant))
            }
        }
        return surplus
    }

    /// Whether the session of a login has ended, as far as the index remembers.
    func hasEnded(_ record: AuthState.Record) async throws -> Bool {
        guard let token = record.idToken.flatMap({ try? IDToken(parsing: $0) }) else { return false }
        var (issued, requested) = (token.issuedAt, record.lastTokenResponse?.issuedAt)
        if record.stamps.tokens > record.stamps.grant, let login = record.stamps.grant.date {
            // A renewal's times are later than the login's.
            (issued, requested) = (min(issued ?? login, login), login)
        }
        for name in SessionName.all(of: token) {
            let entry = try await index.entry(of: name)
            for (begun, end) in [(issued, entry.end), (requested, entry.wantedEnd)] {
                guard let begun, let end else { continue }
                guard TrustCheck.endedSession.holds(begun.timeIntervalSince1970 > end.through) else { return true }
            }
        }
        return false
    }

    /// Reads a state; nil when there is none under the key.
    ///
    /// - Throws: `AuthStateError` of kind `.store`; `.invalidArgument` for the key of an entry of the index.
    public func load(_ key: AuthStateKey) async throws -> StoredAuthState? {
        try check(key)
        return try await base.load(key)
    }

    /// Refuses the key of an entry of the index.
    private func check(_ key: AuthStateKey) throws {
        guard TrustCheck.indexKey.holds(!SessionName.isKey(key)) else {
            throw AuthStateError(
                .invalidArgument, stage: .store, "The key is one that the index of sessions keeps for itself.",
                expected: "a key that does not begin with index- and a digest", received: key.rawValue,
                hint: "Use random keys for sessions, no names that users choose.")
        }
    }

    /// Runs a transaction under a lease of the other store, and keeps the index.
    public nonisolated(nonsending) func withLease<R>(
        _ key: AuthStateKey, deadline: Duration, whileWaiting look: nonisolated(nonsending) () async throws -> R?,
        _ body: nonisolated(nonsending) (any AuthStateLease) async throws -> R
    ) async throws -> R {
        try check(key)
        return try await base.withLease(key, deadline: deadline, whileWaiting: look) { lease in
            try await body(IndexedLease(base: lease, key: key, index: index))
        }
    }

    /// Lists the other store's states without the entries of the index, from which it removes the sessions that have ended.
    public func entries(savedBefore date: Date) async throws -> [AuthStateEntry] {
        var states: [AuthStateEntry] = []
        for entry in try await base.entries(savedBefore: date) {
            try Task.checkCancellation()
            if let stored = try? await base.load(entry.key), SessionIndexEntry(data: stored.archive) != nil {
                // One that cannot be cleaned up now is left for the next sweep.
                do { try await index.removeEnded(from: entry, at: date) } catch is AuthStateError {}
            } else {
                states.append(entry)
            }
        }
        return states
    }

    /// Watches the other store.
    public func watch(_ key: AuthStateKey) async -> (any AuthStateWatch)? { await base.watch(key) }

    /// The other store's answer.
    public var mayBeWrittenByOthers: Bool { base.mayBeWrittenByOthers }

    /// The place in the store around which this one is.
    public func location(of key: AuthStateKey) -> String { base.location(of: key) }
}
