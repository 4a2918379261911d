import AuthStateFoundation
import AuthStateLibc
import AuthStateOAuth
import AuthStateStorage

/// The store's statements on one connection.
extension Connection {
    /// Runs a body as one transaction, on the disk when it returns; undone when the body throws.
    func transaction(isTrial: Bool = false, _ body: () throws -> Void) throws {
        try run("BEGIN IMMEDIATE")
        do {
            try body()
            // A trial's pages take space in the log, and the next transaction writes over them.
            if isTrial { try flush() } else { try run("COMMIT") }
        } catch {
            rollBack()
            throw error
        }
        rollBack()
    }

    /// Reads a state; nil when there is none.
    ///
    /// - Throws: `AuthStateError` with `.storeCorrupt` for an archive that is missing or too long to be one.
    func state(_ key: KeyHash) throws -> StoredAuthState? {
        let sql = """
            SELECT version, content, id IS NULL FROM states LEFT JOIN archives ON id = archive WHERE key = ?1
            """
        return try run(sql, [.bytes(key.bytes)]) { row in
            guard row.integer(2) == 0, row.size(1) <= StateFile.sizeLimit else {
                throw AuthStateError(
                    .storeCorrupt, stage: .store,
                    "The archive of a state is \(row.integer(2) == 0 ? "too long" : "missing").",
                    expected: "\(StateFile.sizeLimit) bytes at most", hint: "Sign in again: that replaces it.")
            }
            return StoredAuthState(archive: row.data(1), version: .init(row.integer(0)))
        }.first
    }

    /// Lists the states that were saved last before a time, in seconds since 1970.
    func entries(savedBefore seconds: Double) throws -> [AuthStateEntry] {
        try run("SELECT key, saved, version FROM states WHERE saved < ?1", [.real(seconds)]) { row in
            AuthStateEntry(
                key: AuthStateKey(digest: Fingerprint.hexadecimal(row.data(0))),
                savedAt: Date(timeIntervalSince1970: row.real(1)), version: .init(row.integer(2)))
        }
    }

    /// Takes the space that a save of the key may need: one that is sealed grows by a third.
    func reserve(_ key: KeyHash) throws {
        let sql = """
            INSERT INTO archives (content) SELECT zeroblob(16384 + coalesce(max(length(content) * 3 / 2), 0))
            FROM states JOIN archives ON id = archive WHERE key = ?1
            """
        try run(sql, [.bytes(key.bytes)])
    }

    /// Writes a state in the place of the expected version; returns the new one.
    ///
    /// - Throws: `AuthStateError` with `.storeConflict`.
    func save(
        _ archive: Data, _ key: KeyHash, expecting: StoredAuthState.Version?
    ) throws -> StoredAuthState.Version {
        let found = try place(of: key)
        guard found?.version == expecting else {
            // The same content is no conflict: an earlier save may have failed after it had taken effect.
            if let stored = try state(key), stored.archive == archive { return stored.version }
            throw AuthStateError.storeConflict(expected: expecting, isStored: found != nil)
        }
        let (number, content) = (Int64.random(in: 1...Int64.max), Value.bytes([UInt8](archive)))
        let values: [Value] = [.bytes(key.bytes), .integer(number), .real(SystemTime.secondsSince1970)]
        if let found {
            try run("UPDATE archives SET content = ?2 WHERE id = ?1", [.integer(found.archive), content])
            try run("UPDATE states SET version = ?2, saved = ?3 WHERE key = ?1", values)
        } else {
            try run("INSERT INTO archives (content) VALUES (?1)", [content])
            try run("INSERT INTO states VALUES (?1, ?2, ?3, last_insert_rowid())", values)
        }
        return StoredAuthState.Version(number)
    }

    /// Removes a state, of any version where none is given.
    ///
    /// - Throws: `AuthStateError` with `.storeConflict`.
    func remove(_ key: KeyHash, expecting: StoredAuthState.Version?, isAnyExpected: Bool) throws {
        guard let found = try place(of: key) else { return }
        guard isAnyExpected || found.version == expecting else {
            throw AuthStateError.storeConflict(expected: expecting, isStored: true)
        }
        try run("DELETE FROM archives WHERE id = ?1", [.integer(found.archive)])
        try run("DELETE FROM states WHERE key = ?1", [.bytes(key.bytes)])
    }

    private func place(of key: KeyHash) throws -> (version: StoredAuthState.Version, archive: Int64)? {
        try run("SELECT version, archive FROM states WHERE key = ?1", [.bytes(key.bytes)]) {
            (StoredAuthState.Version($0.integer(0)), $0.integer(1))
        }.first
    }
}

extension StoredAuthState.Version {
    fileprivate init(_ number: Int64) { self.init(rawValue: String(number)) }
}
