import AuthStateKit

extension PostgresAuthStateStore {
    static let schemaHint = "Create it, as the role that shall own it: psql -f Examples/PostgresStore/schema.sql."

    /// Checks that the table is there, complete and writable. Call it when the program starts; it changes nothing.
    ///
    /// - Throws: `AuthStateError` of kind `.store` that says what to run.
    public func checkSchema() async throws {
        guard let row = try await pool.execute(Self.inspection, tryingFor: settings.connectTimeout).first else {
            throw Self.unusable("The table auth_states is not in the database.", expected: "the table")
        }
        let (missing, isLogged, isAllowed, isPrimary) = (row.text(0), row.text(1), row.text(2), row.text(3))
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

    private static func unusable(
        _ message: String, expected: String, received: String? = nil, hint: String = schemaHint
    ) -> AuthStateError {
        AuthStateError(.storeUnwritable, stage: .store, message, expected: expected, received: received, hint: hint)
    }

    /// One row when there is a table: missing columns, whether it is logged, may be used, on a server that takes writes.
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
            (NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off')::text
        FROM pg_class c WHERE c.oid = to_regclass('auth_states')
        """)
}
