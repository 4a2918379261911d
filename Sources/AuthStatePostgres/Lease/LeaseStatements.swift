import AuthStateOAuth
import AuthStateStorage

/// The store's SQL: every step is one statement, which is a transaction of its own.
///
/// Times are the database's, so that the clocks of the machines that share it do not matter: `clock_timestamp()`, the
/// time at which a row is read, and not `now()`, the time at which a statement began to wait for it.
enum LeaseStatements {
    /// Archive, version and size of a row; archive NULL where nothing is stored but a holder has the lease, or something that
    /// is too long.
    private static let content = """
        CASE WHEN octet_length(archive) <= \(StateFile.sizeLimit) THEN archive END, version::text,
            octet_length(archive)::text
        """

    /// Reads the content.
    static func load(_ key: KeyHash) -> Statement {
        Statement(
            .reading, "SELECT \(content) FROM auth_states WHERE key = $1", .bytes(key.bytes), columns: 3)
    }

    /// Whether a lease is free: not held, expired, or one that ends later than any holder asks for, because it began when the
    /// server's clock was wrong.
    private static let isFree = """
        (held.lease_owner IS NULL OR held.lease_expires_at <= clock_timestamp()
            OR held.lease_expires_at > clock_timestamp() + interval '1 hour')
        """

    /// Reads the version, and whether the lease is free, which locks nothing.
    static func look(_ key: KeyHash) -> Statement {
        Statement(
            .writing, "SELECT version::text, \(isFree)::text FROM auth_states AS held WHERE key = $1",
            .bytes(key.bytes), columns: 2)
    }

    /// Lists the states that were changed last before a time, in seconds since 1970; the oldest ones of very many.
    static func entries(savedBefore seconds: Double) -> Statement {
        var statement = Statement(
            .reading,
            """
            SELECT encode(key, 'hex'), extract(epoch FROM updated_at)::text, version::text FROM auth_states
            WHERE archive IS NOT NULL AND updated_at < to_timestamp($1::double precision)
            ORDER BY updated_at LIMIT 500000
            """,
            .text("\(seconds)"), columns: 3)
        // Of so many states, several times.
        statement.maximumSize = 512 << 20
        return statement
    }

    /// Acquires the lease if it is free, or this owner's already; the content when it is acquired.
    static func acquire(_ key: KeyHash, owner: String, for duration: Duration) -> Statement {
        Statement(
            changing: key,
            """
            INSERT INTO auth_states AS held (key, lease_owner, lease_expires_at)
            VALUES ($1, $2::uuid, clock_timestamp() + $3::interval)
            ON CONFLICT (key) DO UPDATE
            SET lease_owner = excluded.lease_owner, lease_expires_at = clock_timestamp() + $3::interval
            WHERE held.lease_owner = excluded.lease_owner OR \(isFree)
            RETURNING \(content)
            """,
            .text(owner), .interval(duration), columns: 3)
    }

    /// Extends the lease from now on, also an expired one that no other holder has acquired; no row when another has.
    static func extend(_ key: KeyHash, owner: String, for duration: Duration) -> Statement {
        Statement(
            changing: key,
            """
            UPDATE auth_states SET lease_expires_at = clock_timestamp() + $3::interval
            WHERE key = $1 AND lease_owner = $2::uuid RETURNING ''
            """,
            .text(owner), .interval(duration), columns: 1)
    }

    /// Releases the lease, if it is still this owner's; where nothing is stored the row is deleted too.
    static func release(_ key: KeyHash, owner: String) -> Statement {
        Statement(
            changing: key,
            """
            WITH removed AS (
                DELETE FROM auth_states WHERE key = $1 AND lease_owner = $2::uuid AND archive IS NULL
            )
            UPDATE auth_states SET lease_owner = NULL, lease_expires_at = NULL
            WHERE key = $1 AND lease_owner = $2::uuid AND archive IS NOT NULL
            """,
            .text(owner))
    }

    /// Replaces the archive of this version, regardless of the lease; a row with the new version when it was there.
    ///
    /// Its trigger tells listeners in the same transaction.
    static func save(_ key: KeyHash, _ archive: [UInt8], replacing version: String) -> Statement {
        Statement(
            changing: key,
            """
            UPDATE auth_states SET archive = $2, version = DEFAULT, updated_at = clock_timestamp()
            WHERE key = $1 AND version::text = $3 RETURNING version::text
            """,
            .bytes(archive), .text(version), columns: 1)
    }

    /// Replaces the archive of this version, and releases the lease if it is still this owner's; a row with the new version
    /// when it was there.
    ///
    /// Transactions that tell listeners are committed one after the other, and this is the most frequent one. So they are
    /// told in a transaction of its own, which is sent along and does not wait for the disk. A listener does not hear of the
    /// save when its writer dies between the two: it reads the row a minute later at the latest, and when its token has expired.
    static func saveAndRelease(
        _ key: KeyHash, _ archive: [UInt8], replacing version: String, owner: String
    ) -> Statement {
        var statement = Statement(
            changing: key,
            """
            UPDATE auth_states SET archive = $2, version = DEFAULT, updated_at = clock_timestamp(),
                lease_owner = NULLIF(lease_owner, $4::uuid),
                lease_expires_at = CASE WHEN lease_owner <> $4::uuid THEN lease_expires_at END
            WHERE key = $1 AND version::text = $3 RETURNING version::text
            """,
            .bytes(archive), .text(version), .text(owner), columns: 1)
        statement.afterwards = [
            Statement(.reading, "SELECT pg_notify('auth_states', $1)::text", .text(key.text), columns: 1)
        ]
        return statement
    }

    /// Removes the archive of this version; the emptied row has a version too, until the lease is released.
    static func delete(_ key: KeyHash, replacing version: String) -> Statement {
        Statement(
            changing: key,
            """
            UPDATE auth_states SET archive = NULL, version = DEFAULT, updated_at = clock_timestamp()
            WHERE key = $1 AND version::text = $2 RETURNING version::text
            """,
            .text(version), columns: 1)
    }
}

extension StoredAuthState {
    /// A row of archive, version and size; nil when nothing is stored in it.
    ///
    /// - Throws: `AuthStateError` with `.storeCorrupt` for an archive that is too long to be one.
    init?(_ row: Row) throws {
        guard let archive = row.data(0) else {
            guard row.text(2).isEmpty else { throw AuthStateError.tooLong(.storeCorrupt, bytes: row.text(2)) }
            return nil
        }
        self.init(archive: archive, version: Version(rawValue: row.text(1)))
    }
}
