#!/bin/bash
# Starts a PostgreSQL server with a fresh database on a loopback port, and stays with it until it is ended.
#
# usage: [STANDBY=1] start.sh [PORT [STATE_FOLDER]]    PORT 0 (the default) is any free port; the folder must be new or empty
#
# The server writes through to the disk (fsync), asks for passwords, and has the database `authstate` with the table of
# Examples/PostgresStore/schema.sql, which the role `authstate` (password `authstate-secret`) owns, and a role `admin`
# (password `admin-secret`) that may do everything. As root it runs as the user `postgres`.
#
# With STANDBY a second server follows the first, which confirms no commit that the second has not written to its disk.
#
# Once ready it prints one line of JSON: connection and admin, two connection strings; control, the words that begin a
# pg_ctl command; pid, the process to end with SIGTERM; with STANDBY its port and its control. The servers end with the
# caller at the latest.
# Status 1: it did not start; 2: it is not installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../common.sh"

# Debian keeps the server's programs out of PATH.
for folder in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V); do PATH=$folder:$PATH; done
need initdb pg_ctl psql $python
pg_ctl=$(command -v pg_ctl)

port=$(choose_port "${1:-0}")
standby_port=$(choose_other_port "$port")
make_state_folder "${2-}"
as_server=()
if [ "$(id -u)" = 0 ]; then
    as_server=(/usr/bin/setpriv --reuid=postgres --regid=postgres --clear-groups --)
    chown postgres "$state"
fi
# pg_ctl complains where it may not be.
cd "$state"
control=("${as_server[@]}" "$pg_ctl" --pgdata "$state/data" --log "$state/log" --wait --timeout 20)
standby=("${as_server[@]}" "$pg_ctl" --pgdata "$state/standby" --log "$state/standby.log" --wait --timeout 20)

stop() {
    "${control[@]}" stop --mode immediate >/dev/null 2>&1 || true
    if [ -n "${STANDBY-}" ]; then "${standby[@]}" stop --mode immediate >/dev/null 2>&1 || true; fi
    if [ ${#temporary[@]} -gt 0 ]; then rm -rf "$state"; fi
}

fail() {
    if [ -f "$state/log" ]; then tail -n 20 "$state/log" >&2; fi
    die 1 "$1"
}

trap stop EXIT
trap 'exit 0' TERM INT HUP

echo admin-secret >"$state/password"
chmod 644 "$state/password"
"${as_server[@]}" initdb --pgdata "$state/data" --username admin --pwfile "$state/password" --auth scram-sha-256 \
    --encoding UTF8 --locale C --no-sync >"$state/log" 2>&1 || fail "initdb failed"
rm "$state/log"
cat >>"$state/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = ''
fsync = on
max_connections = 300
shared_buffers = 32MB
log_timezone = UTC
CONF
"${control[@]}" start >/dev/null || fail "the server did not start"

admin="host=127.0.0.1 port=$port user=admin password=admin-secret dbname=postgres"
connection="host=127.0.0.1 port=$port user=authstate password=authstate-secret dbname=authstate"
psql "$admin" --quiet --no-psqlrc -v ON_ERROR_STOP=1 \
    -c "CREATE ROLE authstate LOGIN PASSWORD 'authstate-secret'" -c "CREATE DATABASE authstate OWNER authstate" >&2
psql "$connection" --quiet --no-psqlrc -v ON_ERROR_STOP=1 -f "$here/../../../../Examples/PostgresStore/schema.sql" >&2

if [ -n "${STANDBY-}" ]; then
    PGPASSWORD=admin-secret "${as_server[@]}" pg_basebackup --pgdata "$state/standby" --host 127.0.0.1 --port "$port" \
        --username admin --write-recovery-conf --checkpoint fast --no-sync >&2 || fail "pg_basebackup failed"
    echo "port = $standby_port" >>"$state/standby/postgresql.conf"
    "${standby[@]}" start >/dev/null || fail "the standby did not start"
    psql "$admin" --quiet --no-psqlrc -c "ALTER SYSTEM SET synchronous_standby_names = '*'" \
        -c "SELECT pg_reload_conf()" >/dev/null
fi

$python - "$$" "$connection" "$admin" "$state" "$standby_port" "${#control[@]}" "${control[@]}" "${standby[@]}" <<'PYTHON'
import json, sys
pid, connection, admin, state, port, count, *words = sys.argv[1:]
print(json.dumps({
    "connection": connection, "admin": admin, "control": words[:int(count)], "state": state, "pid": int(pid),
    "standby": {"port": int(port), "control": words[int(count):]},
}))
PYTHON
while kill -0 "$PPID" 2>/dev/null; do sleep 0.2; done
