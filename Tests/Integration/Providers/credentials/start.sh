#!/bin/bash
# Starts an https server that three programs ask for credentials of: git (smart HTTP, by git http-backend), skopeo (a
# registry with one image) and kubectl (the paths of a Kubernetes API server that `kubectl get` needs). Stays with the server
# until it is ended.
#
# usage: start.sh [PORT [STATE_FOLDER]]    PORT 0 (the default) is any free port; the folder must be new or empty
#
# UPSTREAM_ISSUER         the OpenID provider whose tokens it takes (required): the password of git and skopeo is an access
#                         token that its userinfo knows, Kubernetes' bearer token an ID token with a signature of its keys
# UPSTREAM_CLIENT_ID      the audience of the ID tokens (required)
# AUTHSTATE_PROVIDERS     folder of the Python environments (default ~/.cache/authstatekit-providers)
#
# Once ready it prints one line of JSON:
#   base                    https://127.0.0.1:PORT; the repository is at /git/project.git, the image at /v2/project
#   ca                      its certificate authority (PEM)
#   control                 base of the control paths: GET /log lists the requests, POST /refuse refuses the next credentials
#   pid                     the process to end with SIGTERM; the server ends with the caller at the latest
# Status 1: it did not start; 2: it is not installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../common.sh"

environment=${AUTHSTATE_PROVIDERS:-${XDG_CACHE_HOME:-$HOME/.cache}/authstatekit-providers}
need $python git skopeo kubectl openssl "$environment/mcp/bin/python"
[ -n "${UPSTREAM_ISSUER-}" ] || die 1 "UPSTREAM_ISSUER is not set"
[ -n "${UPSTREAM_CLIENT_ID-}" ] || die 1 "UPSTREAM_CLIENT_ID is not set"
port=$(choose_port "${1:-0}")
make_state_folder "${2-}"

make_authority "$state" "AuthStateKit test authority"
make_certificate "$state" tls IP:127.0.0.1
git init -q --bare -b main "$state/project.git"
git -C "$state/project.git" config http.receivepack true
base="https://127.0.0.1:$port"
announcement="{\"base\": \"$base\", \"ca\": \"$state/ca.pem\", \"control\": \"$base/control\", \"state\": \"$state\"}"
exec $python "$providers/supervise.py" --parent $PPID --ready "$base/control/ready" --log "$state/log" \
    --announce "$announcement" "${temporary[@]}" -- "$environment/mcp/bin/python" -B "$here/server.py" "$port" "$state"
