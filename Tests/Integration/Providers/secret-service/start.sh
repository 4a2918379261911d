#!/bin/bash
# Starts a D-Bus session with gnome-keyring as its Secret Service, unlocked, and stays with it until it is ended.
#
# usage: start.sh [STATE_FOLDER]    the folder must be new or empty
#
# SERVICE     gnome-keyring (default), or none for a session without a Secret Service
#
# HOME and the XDG folders are in the state folder. The session starts no program by itself, so the user cannot be asked to
# unlock a keyring: it stays locked. Once ready the script prints one line of JSON:
#   address                 the value of DBUS_SESSION_BUS_ADDRESS
#   runtime                 the value of XDG_RUNTIME_DIR
#   keyring_pid             gnome-keyring-daemon, which may be stopped for a while; 0 without one
#   bus_pid                 dbus-daemon, whose end is that of the session
#   pid                     the process to end with SIGTERM; everything ends with the caller at the latest
# Status 1: it did not start; 2: it is not installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../common.sh"

service=${SERVICE:-gnome-keyring}
need dbus-run-session dbus-send gnome-keyring-daemon secret-tool
make_state_folder "${1-}"
mkdir -m 700 "$state/home" "$state/run"

# The session ends with this file.
touch "$state/wanted"
session=
stop() {
    rm -f "$state/wanted"
    if [ -n "$session" ]; then wait "$session" || true; fi
    if [ ${#temporary[@]} -gt 0 ]; then rm -rf "$state"; fi
}
trap stop EXIT
trap 'exit 0' TERM INT HUP

# No <servicedir>: nothing is started on demand.
cat >"$state/session.conf" <<CONF
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=$state/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
CONF
env -u XDG_DATA_HOME -u XDG_CONFIG_HOME -u XDG_CACHE_HOME -u XDG_STATE_HOME -u DISPLAY -u WAYLAND_DISPLAY \
    HOME="$state/home" XDG_RUNTIME_DIR="$state/run" \
    dbus-run-session --config-file="$state/session.conf" -- "$here/session.sh" "$state" "$service" \
    </dev/null >"$state/log" 2>&1 &
session=$!

for _ in $(seq 200); do
    [ ! -s "$state/ready" ] || break
    kill -0 "$session" 2>/dev/null || break
    sleep 0.05
done
if [ ! -s "$state/ready" ]; then
    tail -n 20 "$state/log" >&2
    die 1 "the session did not start"
fi
read -r keyring bus <"$state/ready"
echo "{\"address\": \"unix:path=$state/bus\", \"runtime\": \"$state/run\"," \
    "\"keyring_pid\": $keyring, \"bus_pid\": $bus, \"pid\": $$}"
while kill -0 "$PPID" 2>/dev/null && kill -0 "$session" 2>/dev/null; do sleep 0.2; done
