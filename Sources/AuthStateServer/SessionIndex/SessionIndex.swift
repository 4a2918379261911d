import AuthStateFoundation
import AuthStateKit
import AuthStateOAuth
import AuthStateStorage

/// The entries of an index in a store.
///
/// Locks are taken in one order: a session's lease, then an entry's. Nothing takes a session's lease while it holds an entry's.
struct SessionIndex: Sendable {
    let store: any AuthStateStore
    private let deadline = Duration.seconds(30)

    /// The entry of a name; an empty one where none is stored.
    func entry(of name: SessionName) async throws -> SessionIndexEntry {
        try await store.load(name.key).flatMap { SessionIndexEntry(data: $0.archive) } ?? SessionIndexEntry()
    }

    /// The sessions of a name, by the keys of their states.
    func sessions(of name: SessionName) async throws -> [String: SessionIndexEntry.Session] {
        try await entry(of: name).sessions
    }

    /// Records the end of a name, for logins of it that are in progress.
    ///
    /// - Parameter isWanted: Whether the program wants it, and no logout token told of it.
    func end(_ name: SessionName, _ end: SessionIndexEntry.End, isWanted: Bool = false) async throws {
        try await change(name.key) { entry in
            if isWanted {
                entry.wantedEnd = entry.wantedEnd.map(end.joined) ?? end
            } else {
                entry.end = entry.end.map(end.joined) ?? end
            }
        }
    }

    /// Adds a session; one that is there already keeps its time.
    func add(_ key: AuthStateKey, _ session: SessionIndexEntry.Session, to name: SessionName) async throws {
        try await change(name.key) { entry in
            if entry.sessions[key.rawValue]?.grant != session.grant { entry.sessions[key.rawValue] = session }
        }
    }

    /// Adds a session to each entry that does not have it; an entry that cannot be written is left for the next save.
    func repair(_ key: AuthStateKey, _ session: SessionIndexEntry.Session, in names: Set<SessionName>) async {
        for name in names {
            guard let found = try? await sessions(of: name), found[key.rawValue]?.grant != session.grant else {
                continue
            }
            try? await add(key, session, to: name)
        }
    }

    /// Removes a session that has ended. An entry that cannot be written keeps it, and it ends nothing more.
    func remove(_ key: AuthStateKey, from names: Set<SessionName>) async {
        for name in names {
            guard let place = try? name.key else { continue }
            try? await change(place) { entry in
                guard key.isDigest else { return entry.sessions[key.rawValue] = nil }
                // A sweep of a store that keeps digests of its keys.
                entry.sessions = entry.sessions.filter { !key.isDigest(of: $0.key) }
            }
        }
    }

    /// Removes a session that has ended; a later login under its key stays.
    func remove(_ key: AuthStateKey, of grant: String, from name: SessionName) async {
        guard let place = try? name.key else { return }
        try? await change(place) { entry in
            if entry.sessions[key.rawValue]?.grant == grant { entry.sessions[key.rawValue] = nil }
        }
    }

    /// Removes the sessions whose states are gone or have ended from an entry, and an end that no login can meet any more.
    ///
    /// - Parameters:
    ///   - listed: An entry of some age. A login adds its session shortly before it stores its state; a session that is added
    ///     meanwhile gives the entry another version, and is left for the next time.
    ///   - date: A moment that is not in the future.
    func removeEnded(from listed: AuthStateEntry, at date: Date) async throws {
        guard let stored = try await store.load(listed.key), stored.version == listed.version,
            var entry = SessionIndexEntry(data: stored.archive)
        else { return }
        for key in entry.sessions.keys {
            // A state that cannot be read may be a session.
            do {
                let state = try await store.load(AuthStateKey(rawValue: key))
                if state.map({ IndexedSession(archive: $0.archive).hasEnded }) ?? true { entry.sessions[key] = nil }
            } catch is AuthStateError {}
        }
        if let end = entry.end, end.until < date.timeIntervalSince1970 { entry.end = nil }
        if let end = entry.wantedEnd, end.until < date.timeIntervalSince1970 { entry.wantedEnd = nil }
        let rest = entry
        try await store.withLease(listed.key, deadline: deadline) { lease in
            guard try await lease.load()?.version == listed.version else { return }
            try await save(rest, over: listed.version, under: lease)
        }
    }

    private func change(_ place: AuthStateKey, _ body: @Sendable (inout SessionIndexEntry) -> Void) async throws {
        try await store.withLease(place, deadline: deadline) { lease in
            let stored = try await lease.load()
            let before = stored.flatMap { SessionIndexEntry(data: $0.archive) } ?? SessionIndexEntry()
            var entry = before
            body(&entry)
            if entry != before { try await save(entry, over: stored?.version, under: lease) }
        }
    }

    private func save(
        _ entry: SessionIndexEntry, over version: StoredAuthState.Version?, under lease: any AuthStateLease
    ) async throws {
        if entry.isEmpty { return try await lease.delete(expecting: version) }
        _ = try await lease.save(entry.data(), expecting: version)
    }
}

extension AuthStateKey {
    /// Whether this stands for another key.
    fileprivate func isDigest(of key: String) -> Bool {
        (try? Fingerprint.of(Array(key.utf8))) == rawValue
    }
}
