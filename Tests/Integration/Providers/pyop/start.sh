#!/bin/bash
# Starts pyop with a fresh key and no clients, and stays with it until it is ended.
#
# usage: start.sh [PORT [STATE_FOLDER]]    PORT 0 (the default) is any free port; the folder must be new or empty
#
# ACCESS_TOKEN_SECONDS    lifetime of access tokens (default 3600)
# AUTHSTATE_PROVIDERS     folder of the Python environments (default ~/.cache/authstatekit-providers)
#
# Once ready it prints one line of JSON: issuer, and pid, the process to end with SIGTERM; the provider ends with the
# caller at the latest. Status 1: it did not start; 2: it is not installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../common.sh"

environment=${AUTHSTATE_PROVIDERS:-${XDG_CACHE_HOME:-$HOME/.cache}/authstatekit-providers}
need $python "$environment/allauth/bin/python"
port=$(choose_port "${1:-0}")
make_state_folder "${2-}"
stay "http://127.0.0.1:$port" "$environment/allauth/bin/python" "$here/op.py" "$port"
