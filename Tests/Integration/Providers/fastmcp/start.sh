#!/bin/bash
# Starts a FastMCP server whose OAuth proxy is the authorization server of its resource, and logs the user in at an
# OpenID provider upstream: glewlwyd. Stays with the server until it is ended.
#
# usage: start.sh [PORT [STATE_FOLDER]]    PORT 0 (the default) is any free port; the folder must be new or empty
#
# UPSTREAM_ISSUER         the OpenID provider (required), such as glewlwyd's issuer
# UPSTREAM_CA             its certificate authority (PEM), when it serves https
# UPSTREAM_CLIENT_ID, UPSTREAM_CLIENT_SECRET
#                         the proxy's client there, whose redirect URI is http://127.0.0.1:PORT/auth/callback (default:
#                         register one dynamically)
# ACCESS_TOKEN_SECONDS    lifetime of the proxy's access tokens (default: that of the upstream's)
# CLIENT_DOCUMENTS=1      host client metadata documents. FastMCP fetches them from public addresses alone: its outgoing
#                         connections are made in a network namespace of its own, where 192.31.196.1 is an address of
#                         the loopback interface. Needs root. The server itself stays on the machine's 127.0.0.1
# ASSERTION_ISSUER        an organization's provider, whose assertions of a user's identity (ID-JAG, ES256) the proxy takes
# DIRECT=1                no proxy: the resource's metadata name the upstream itself as the authorization server. Its
#                         RESOURCES have to contain http://127.0.0.1:PORT/mcp
# UPSTREAM_OPAQUE=1       the upstream's access tokens are opaque: the proxy checks its ID tokens, wants the scope openid
#                         instead of profile, and has none for its own clients
# STATELESS=1             no sessions: GET on /mcp is not allowed, and POST alone asks for a token
# JSON_RESPONSE=1         answer MCP requests with JSON where the default is an event stream
# PYTHON_ENVIRONMENT      the environment that has the software (default mcp; mcp-before has the generation before)
# AUTHSTATE_PROVIDERS     folder of the Python environments (default ~/.cache/authstatekit-providers)
#
# Once ready it prints one line of JSON:
#   resource, issuer        the protected resource and its authorization server: the proxy, with a slash at the end, or
#                           the upstream with DIRECT=1
#   control                 base of the control paths
#   client_document         with CLIENT_DOCUMENTS=1, the URL of a public client's document, else null
#   key_document            that of a client with private_key_jwt; its key (PKCS#8 PEM, ES256) is in client_key, and
#                           client_key_id is the key's kid
#   pid                     the process to end with SIGTERM; the server ends with the caller at the latest
# Status 1: it did not start; 2: it is not installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../common.sh"

environment=${AUTHSTATE_PROVIDERS:-${XDG_CACHE_HOME:-$HOME/.cache}/authstatekit-providers}
need $python "$environment/${PYTHON_ENVIRONMENT:-mcp}/bin/python"
[ -n "${UPSTREAM_ISSUER-}" ] || die 1 "UPSTREAM_ISSUER is not set"
port=$(choose_port "${1:-0}")
make_state_folder "${2-}"

base="http://127.0.0.1:$port"
issuer="$base/"
[ "${DIRECT-}" = 1 ] && issuer=$UPSTREAM_ISSUER
documents=null keys=null key_file=null
if [ "${CLIENT_DOCUMENTS-}" = 1 ]; then
    need openssl ip
    [ "$(id -u)" = 0 ] || die 1 "CLIENT_DOCUMENTS=1 needs root"
    documents="\"https://192.31.196.1/client.json\""
    keys="\"https://192.31.196.1/key.json\""
    key_file="\"$state/client.pem\""
    make_authority "$state" "AuthStateKit test authority"
    make_certificate "$state" tls IP:192.31.196.1
    openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$state/client.pem" 2>/dev/null
fi
# One bundle for the upstream and the documents: FastMCP's HTTP client reads SSL_CERT_FILE.
cat /etc/ssl/certs/ca-certificates.crt ${UPSTREAM_CA:+"$UPSTREAM_CA"} $([ $documents = null ] || echo "$state/ca.pem") \
    >"$state/bundle.pem"

announcement=$(cat <<JSON
{"provider": "fastmcp", "resource": "$base/mcp", "issuer": "$issuer", "control": "$base/control", "ca": null,
 "client_document": $documents, "key_document": $keys, "client_key": $key_file, "client_key_id": "client-1",
 "state": "$state"}
JSON
)
export SSL_CERT_FILE=$state/bundle.pem
export FASTMCP_HOME=$state
exec $python "$providers/supervise.py" --parent $PPID --ready "$base/control/ready" --log "$state/log" \
    --announce "$announcement" "${temporary[@]}" \
    -- "$environment/${PYTHON_ENVIRONMENT:-mcp}/bin/python" -B "$here/op.py" "$port" "$state"
