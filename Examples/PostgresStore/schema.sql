-- The table of PostgresAuthStateStore, as `PostgresAuthStateStore.createSchema()` makes it. Run it as the role that shall own
-- the table; it may be run again:
--
--     psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f schema.sql
--
-- The program's own role needs no more than
--
--     GRANT SELECT, INSERT, UPDATE, DELETE ON auth_states TO program;
--
-- Names are looked for along the role's search_path, so that several programs can have a table each, in schemas of
-- their own. PostgreSQL 14 or newer.

BEGIN;

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

COMMIT;

-- A holder that crashed before it stored anything leaves an empty row, which its next holder reuses or removes. Where
-- keys never come back, sweep now and then:
--
--     DELETE FROM auth_states WHERE archive IS NULL AND (lease_owner IS NULL OR lease_expires_at < clock_timestamp());
