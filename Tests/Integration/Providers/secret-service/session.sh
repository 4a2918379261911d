#!/bin/bash
# Runs in the session that start.sh makes: starts the keyring, says that it is ready, and ends with the file `wanted`, or
# with start.sh.
#
# usage: session.sh STATE_FOLDER SERVICE
set -euo pipefail

state=$1 service=$2 keyring=0
# dbus-run-session is between the two scripts.
starter=$(awk '/^PPid:/ { print $2 }' "/proc/$PPID/status")

stop() {
    if [ "$keyring" != 0 ]; then
        kill -CONT "$keyring" 2>/dev/null || true
        kill "$keyring" 2>/dev/null || true
        wait "$keyring" || true
    fi
}
trap stop EXIT
trap 'exit 0' TERM INT HUP

# collection ALIAS: prints the reply with the path of a collection.
collection() {
    dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \
        org.freedesktop.Secret.Service.ReadAlias "string:$1" 2>/dev/null
}

if [ "$service" = gnome-keyring ]; then
    printf password | gnome-keyring-daemon --foreground --unlock --components=secrets &
    keyring=$!
    for _ in $(seq 100); do
        if collection default | grep -q /collection/; then break; fi
        sleep 0.05
    done
    collection default | grep -q /collection/
fi
bus=$(dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus /org/freedesktop/DBus \
    org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.DBus | awk '{ print $2 }')
# At once, so that no half of it is read.
echo "$keyring $bus" >"$state/ready.new"
mv "$state/ready.new" "$state/ready"
while [ -e "$state/wanted" ] && kill -0 "$starter" 2>/dev/null; do sleep 0.1; done
