import AuthStateOAuth
import AuthStateStorage

extension PostgresAuthStateStore {
    static let schemaHint =
        "Create it, as the role that shall own it: call createSchema(), or give PostgresAuthStateStore.schema to psql."

    /// The table, with the triggers that tell of changes, as SQL that may be run again; PostgreSQL 14 or newer.
    ///
    /// The program's own role needs no more than `GRANT SELECT, INSERT, UPDATE, DELETE ON auth_states`, where a superuser, the
    /// database's owner or a role that it is a member of owns the table: it trusts no other. Names are looked for
    /// along the role's `search_path`, so that several programs can have a table each, in schemas of their own.
    public static let schema = """
        CREATE TABLE IF NOT EXISTS auth_states (
            -- SHA-256 of the key. Keys may be of any length and hold any character; often they are session ids, which must not
            -- be readable here.
            key              bytea       PRIMARY KEY CHECK (octet_length(key) = 32),

            -- The archived state: tokens, so keep it sealed (SealedAuthStateStore) where others can read the table, its backups
            -- or the server's log. NULL while nothing is stored and a holder has the lease to change that.
            archive          bytea,

            -- Another number after every change, never one that any row had before: a holder whose lease was lost compares it
            -- and so never overwrites a later change. An identity, because a delete never resets its sequence.
            version          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,

            -- The lease holder: a random name for each acquisition; NULL when the lease is free.
            lease_owner      uuid,
            -- The expiry of the lease, by this server's clock; the holder extends it. After that time any process may acquire
            -- it.
            lease_expires_at timestamptz,

            -- When the archive was last changed, for people.
            updated_at       timestamptz NOT NULL DEFAULT clock_timestamp(),

            CHECK ((lease_owner IS NULL) = (lease_expires_at IS NULL))
        )
        -- A renewal touches its row twice: with space left in the page, PostgreSQL updates neither the index nor moves it.
        WITH (fillfactor = 70);

        -- Tells listeners (PostgresAuthStateStore.run) which state changed, by any process. The table works without it; then
        -- states check for changes from time to time instead of at once. Transactions that tell are committed one after the
        -- other: a change that releases the lease leaves it to its writer, who tells in the next transaction.
        CREATE OR REPLACE FUNCTION auth_states_notify() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM pg_notify('auth_states', encode(COALESCE(NEW.key, OLD.key), 'hex'));
            RETURN NULL;
        END
        $$;

        CREATE OR REPLACE TRIGGER auth_states_changed AFTER UPDATE OF version ON auth_states
            FOR EACH ROW WHEN (OLD.lease_owner IS NULL OR NEW.lease_owner IS NOT NULL) EXECUTE FUNCTION auth_states_notify();

        CREATE OR REPLACE TRIGGER auth_states_removed AFTER DELETE ON auth_states
            FOR EACH ROW WHEN (OLD.archive IS NOT NULL) EXECUTE FUNCTION auth_states_notify();
        """

    /// Makes the table if it is not there, as the role of the connection, which then owns it. Its owner may do so again, and
    /// several programs of one role at the same time.
    ///
    /// - Parameter onlyIfMissing: Whether a table of this name is only checked, and not changed. Another role may own it.
    /// - Throws: `AuthStateError` of kind `.store`; when it was not allowed, nothing has changed.
    public func createSchema(onlyIfMissing: Bool = false) async throws {
        if onlyIfMissing, try await inspect() != nil { return try await checkSchema() }
        // One at a time: two CREATE TABLE IF NOT EXISTS at once can both find none.
        let script = "SELECT pg_advisory_xact_lock(hashtext('auth_states schema'));\n" + Self.schema
        do { _ = try await pool.execute(Statement(script: script), tryingFor: settings.connectTimeout) } catch let
            error as AuthStateError
        {
            guard let state = error.received, state.hasSuffix("42501") || state.hasSuffix("3F000") else { throw error }
            var refusal = error
            refusal.hint =
                "Let this role create tables in the schema: GRANT CREATE ON SCHEMA; or run PostgresAuthStateStore.schema as the "
                + "role that shall own the table, and call checkSchema()."
            throw refusal
        }
        // The table may have been there, made by another role that shares the database.
        try await checkSchema()
    }

    /// Checks that the table is there, complete and writable. Call it when the program starts; it changes nothing.
    ///
    /// - Throws: `AuthStateError` of kind `.store` that says what to run.
    public func checkSchema() async throws {
        guard let row = try await inspect() else {
            throw Self.unusable("The table auth_states is not in the database.", expected: "the table")
        }
        let (missing, isLogged, isAllowed, isPrimary) = (row.text(0), row.text(1), row.text(2), row.text(3))
        if !row.text(4).isEmpty {
            throw Self.unusable(
                "The table auth_states may be another program's: a role that this one does not trust can read what is saved.",
                expected:
                    "a table, and functions of its triggers, that belong to this role, to one that it is a member of, to the "
                    + "database's owner or to a superuser",
                received: "those of \(row.text(4).printable())",
                hint: "Drop the table, or put the schema of the program's own first: ALTER ROLE … SET search_path.")
        }
        if !missing.isEmpty {
            throw Self.unusable("The table auth_states is another one.", expected: "the columns \(missing)")
        }
        if isLogged != "true" {
            throw Self.unusable(
                "The table auth_states does not survive a crash.", expected: "an ordinary table",
                received: "an unlogged or temporary one", hint: "Make it one: ALTER TABLE auth_states SET LOGGED.")
        }
        if isPrimary != "true" {
            throw PostgresFailure(message: "this server takes no writes", state: "25006").error(.writing)
        }
        if isAllowed != "true" {
            throw PostgresFailure(message: "permission denied for table auth_states", state: "42501").error(.writing)
        }
    }

    private func inspect() async throws -> Row? {
        try await pool.execute(Self.inspection, tryingFor: settings.connectTimeout).first
    }

    private static func unusable(
        _ message: String, expected: String, received: String? = nil, hint: String = schemaHint
    ) -> AuthStateError {
        AuthStateError(.storeUnwritable, stage: .store, message, expected: expected, received: received, hint: hint)
    }

    /// One row when there is a table: missing columns, whether it is logged, may be used, on a server that takes writes, and the
    /// roles that could read along.
    private static let inspection = Statement(
        .reading,
        """
        SELECT array_to_string(ARRAY(
                SELECT unnest(ARRAY['key', 'archive', 'version', 'lease_owner', 'lease_expires_at', 'updated_at'])
                EXCEPT SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND NOT attisdropped
            ), ', '),
            (c.relpersistence = 'p')::text,
            (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
                AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))::text,
            (NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off')::text,
            array_to_string(ARRAY(
                SELECT DISTINCT r.rolname::text FROM pg_roles r
                WHERE (r.oid = c.relowner OR r.oid IN (
                        SELECT p.proowner FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
                        WHERE t.tgrelid = c.oid AND NOT t.tgisinternal))
                    AND NOT r.rolsuper AND NOT pg_has_role(current_user, r.oid, 'MEMBER')
                    AND r.oid <> (SELECT datdba FROM pg_database WHERE datname = current_database())
            ), ', ')
        FROM pg_class c WHERE c.oid = to_regclass('auth_states')
        """, columns: 5)
}
