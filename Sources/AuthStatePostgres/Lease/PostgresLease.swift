import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateStorage

/// The transaction of a PostgreSQL store. Between its steps it holds no connection, only its name in the row.
///
/// Changes compare versions, not owners. A version never comes back, so a holder whose lease was lost (its process was
/// suspended for too long) can never replace the archive of a later holder. But until another holder has written, it
/// may save: its tokens are redeemed already, and to lose them is worse than to save them late.
final class PostgresLease: AuthStateLease {
    /// The row as it was last seen: a version belongs to an emptied row too.
    struct Seen: Sendable {
        var version: String
        var isStored: Bool
    }

    private struct State {
        /// Nil when there is no row: it was removed, so the lease is lost.
        var seen: Seen?
        /// The row that the acquisition found, until it is read.
        var unread: Row?
        /// Whether no step has asked the database since the lease was acquired.
        var isUntouched = true
        var isReleased = false
        var isOver = false
    }

    private let claim: LeaseClaim
    private let state: Lock<State>

    /// Makes the transaction of a claim whose acquisition found a row.
    init(_ claim: LeaseClaim, found row: Row) {
        self.claim = claim
        state = Lock(State(seen: Seen(version: row.text(1), isStored: !row.text(2).isEmpty), unread: row))
    }

    /// Releases the lease, unless that was done with the last save.
    func end() async {
        let isReleased = state.withLock { state in
            state.isOver = true
            return state.isReleased
        }
        if !isReleased { await claim.release(tryingFor: claim.tolerance) }
    }

    /// Reads the state; right after the acquisition it is what that found.
    func load() async throws -> StoredAuthState? {
        try checkNotOver()
        let unread = state.withLock { state in
            defer { state.unread = nil }
            return state.isUntouched && claim.isRecent ? state.unread : nil
        }
        let row: Row?
        if let unread {
            row = unread
        } else {
            touch()
            row = try await claim.pool.execute(LeaseStatements.load(claim.key), tryingFor: claim.tolerance).first
        }
        let stored = try row.flatMap { try StoredAuthState($0) }
        note(row.map { Seen(version: $0.text(1), isStored: stored != nil) })
        return stored
    }

    /// Makes sure that the lease is held and lasts, and that the row can be written to; right after the acquisition that is
    /// known.
    ///
    /// A process that was suspended while it waited for the answer may have lost the lease since: it asks once more.
    ///
    /// - Throws: `.storeLocked` when another holder has acquired the lease; `.storeUnwritable`, for a standby for
    ///   example, or when the answers take longer than the lease lasts.
    func reserve() async throws {
        try checkNotOver()
        if touch(), claim.isRecent { return }
        for _ in 0..<2 {
            guard try await claim.extend(tryingFor: claim.tolerance) else { throw AuthStateError.leaseLost }
            if claim.remaining > .zero { return }
        }
        throw AuthStateError.leaseTooShort
    }

    /// Writes the state, to the end even when the task is cancelled.
    ///
    /// When the database is away it tries for as long as the lease lasts: until then no other process redeems the
    /// stored refresh token, which may be redeemed already.
    func save(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        let base = try base(of: archive, expecting)
        return try await save(
            LeaseStatements.save(claim.key, [UInt8](archive), replacing: base), archive, expecting, isLast: false)
    }

    /// Writes the state as `save` does, and releases the lease in the same statement.
    func saveLast(_ archive: Data, expecting: StoredAuthState.Version?) async throws -> StoredAuthState.Version {
        let statement = LeaseStatements.saveAndRelease(
            claim.key, [UInt8](archive), replacing: try base(of: archive, expecting), owner: claim.owner)
        return try await save(statement, archive, expecting, isLast: true)
    }

    private func save(
        _ statement: Statement, _ archive: Data, _ expecting: StoredAuthState.Version?, isLast: Bool
    ) async throws -> StoredAuthState.Version {
        try await uninterrupted { [self] in
            if let version = try await change(statement) {
                note(Seen(version: version, isStored: true))
                if isLast { state.withLock { $0.isReleased = true } }
                return StoredAuthState.Version(rawValue: version)
            }
            // The same content is no conflict: an earlier try was executed, and only its answer was lost.
            let found = try await load()
            if let found, found.archive == archive { return found.version }
            throw AuthStateError.storeConflict(expected: expecting, isStored: found != nil)
        }
    }

    /// Removes the state, to the end even when the task is cancelled.
    func delete(expecting: StoredAuthState.Version?) async throws {
        try checkNotOver()
        try await uninterrupted { [self] in
            if let expecting,
                let version = try await change(LeaseStatements.delete(claim.key, replacing: expecting.rawValue))
            {
                note(Seen(version: version, isStored: false))
            } else if try await load() != nil {
                throw AuthStateError.storeConflict(expected: expecting, isStored: true)
            }
        }
    }

    /// The version in the row that a save replaces; where nothing is stored, that of the emptied row.
    private func base(of archive: Data, _ expecting: StoredAuthState.Version?) throws -> String {
        try checkNotOver()
        guard archive.count <= StateFile.sizeLimit else {
            throw AuthStateError.tooLong(.storeUnwritable, bytes: "\(archive.count)")
        }
        if let expecting { return expecting.rawValue }
        let seen = state.withLock { $0.seen }
        if let seen, !seen.isStored { return seen.version }
        throw AuthStateError.storeConflict(expected: nil, isStored: seen != nil)
    }

    private func change(_ statement: Statement) async throws -> String? {
        touch()
        return try await claim.pool.execute(statement, tryingFor: max(claim.remaining, claim.tolerance)).first?.text(0)
    }

    /// Notes that the database is asked; returns whether this is the first time since the acquisition.
    @discardableResult
    private func touch() -> Bool {
        state.withLock { state in
            defer { state.isUntouched = false }
            return state.isUntouched
        }
    }

    private func note(_ seen: Seen?) { state.withLock { $0.seen = seen } }

    private func checkNotOver() throws {
        if state.withLock({ $0.isOver }) { throw AuthStateError.leaseEnded() }
    }
}
