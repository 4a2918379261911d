#!/bin/bash
# Starts a protected MCP resource server and its authorization server, made of the MCP SDK for Python, and stays with
# them until it is ended.
#
# usage: start.sh [PORT [STATE_FOLDER]]    PORT of the resource server; 0 (the default) is any free port. The
#                                          authorization servers take free ports. The folder must be new or empty
#
# SECOND_ISSUER=1         start a second authorization server; POST /control/issuer makes the resource name it
# ACCESS_TOKEN_SECONDS    lifetime of access tokens (default 3600)
# REQUIRED_SCOPES         scopes that every request to /mcp needs (default "mcp"); the tool write_note and all of /notes
#                         need notes:write as well
# SCOPE_IN_CHALLENGE=1    add `scope` to 401 and 403, which the SDK leaves out, and list notes:write in the metadata
# OFFLINE_ACCESS=1        offer the scope offline_access, and issue refresh tokens only with it
# ISSUER_PATH             path of the issuers, such as /tenant (default none)
# ISSUER_SLASH=1          end the issuers with a slash
# METADATA                where the authorization servers' metadata is: oauth (default; RFC 8414), openid (OpenID
#                         Connect's name in RFC 8414's place), appended (OpenID Connect's own place)
# ISSUER_PARAMETER        `iss` in authorization answers: sent, wrong, or missing although advertised (default: neither
#                         advertised nor sent)
# REGISTRATION=0          no dynamic registration
# RESOURCE_REQUIRED=0     accept authorization and token requests without `resource`
# PLATFORM_ISSUER, PLATFORM_KEYS
#                         a platform whose assertions for workloads are grants, beside the clients basic and post: `iss`,
#                         and the file with its JWK set
# JSON_RESPONSE=1         answer MCP requests with JSON where the SDK's default is an event stream
# PYTHON_ENVIRONMENT      the environment that has the software (default mcp; mcp-before has the generation before)
# AUTHSTATE_PROVIDERS     folder of the Python environments (default ~/.cache/authstatekit-providers)
#
# Once ready it prints one line of JSON:
#   resource, notes         the two protected resources
#   control                 base of the resource server's control paths
#   issuer, second_issuer   the authorization servers; second_issuer is null without SECOND_ISSUER=1
#   control_issuer, control_second_issuer    bases of their control paths
#   pid                     the process to end with SIGTERM; the servers end with the caller at the latest
# Status 1: it did not start; 2: it is not installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../common.sh"

environment=${AUTHSTATE_PROVIDERS:-${XDG_CACHE_HOME:-$HOME/.cache}/authstatekit-providers}
need $python "$environment/${PYTHON_ENVIRONMENT:-mcp}/bin/python"
port=$(choose_port "${1:-0}")
issuer_port=$(choose_other_port "$port")
second_port=
[ "${SECOND_ISSUER-}" = 1 ] && second_port=$(choose_other_port "$port" "$issuer_port")
make_state_folder "${2-}"

base="http://127.0.0.1:$port"
issuer="http://127.0.0.1:$issuer_port"
second=null control_second=null
ending=${ISSUER_PATH-}
[ "${ISSUER_SLASH-}" = 1 ] && ending+=/
if [ -n "$second_port" ]; then
    second="\"http://127.0.0.1:$second_port$ending\""
    control_second="\"http://127.0.0.1:$second_port/control\""
fi
announcement=$(cat <<JSON
{"provider": "mcp", "resource": "$base/mcp", "notes": "$base/notes", "control": "$base/control",
 "issuer": "$issuer$ending", "control_issuer": "$issuer/control",
 "second_issuer": $second, "control_second_issuer": $control_second, "ca": null, "state": "$state"}
JSON
)
exec $python "$providers/supervise.py" --parent $PPID --ready "$base/control/ready" --log "$state/log" \
    --announce "$announcement" "${temporary[@]}" \
    -- "$environment/${PYTHON_ENVIRONMENT:-mcp}/bin/python" -B "$here/op.py" "$port" "$issuer_port" $second_port
