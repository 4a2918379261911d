#!/bin/bash
# Starts glewlwyd with a fresh database and fresh keys, and stays with it until it is ended.
#
# usage: start.sh [PORT [STATE_FOLDER]]    PORT 0 (the default) is any free port; the folder must be new or empty
#
# TLS=1                   serve https, under a certificate authority made for this start
# ACCESS_TOKEN_SECONDS    lifetime of access tokens (default 3600)
# BACKCHANNEL_LOGOUT_URI  where glewlwyd posts logout tokens for the client `basic`; without it, nowhere
# RESOURCES               further values of `resource` to accept (RFC 8707), separated by spaces
#
# Once ready it prints one line of JSON:
#   issuer, strict_issuer   base of the two providers (the strict one wants PAR and DPoP nonces)
#   ca                      certificate authority (PEM), or null without TLS
#   state                   the state folder; with TLS it holds certificates of clients with their keys: mtls.pem,
#                           selfsigned.pem and stranger.pem
#   client_key              private key (PKCS#8 PEM) of the client `keyjwt`; client_key_id is its kid
#   pid                     the process to end with SIGTERM; the provider ends with the caller at the latest
# Status 1: it did not start; 2: it is not installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../common.sh"

# A key of P-256 in its own file: ec_key FILE
ec_key() {
    openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null
}

# The package ships the schema, with an administrator admin/password in it.
make_database() {
    sqlite3 "$state/db" </usr/share/dbconfig-common/data/glewlwyd/install/sqlite3
}

# rnbyc 1.1.11 strips leading zero octets from EC coordinates (RFC 7518, section 6.2.1.2 forbids it), which every
# strict client refuses: try until none was stripped.
make_signing_keys() {
    local attempt
    for attempt in {1..20}; do
        rnbyc -j -g rsa2048 -k rs-1 -a RS256 -g ec256 -k es-1 -a ES256 -o "$state/jwks.json" -p /dev/null
        [ "$(grep -cE '"[xyd]": ?"[A-Za-z0-9_-]{43}"' "$state/jwks.json")" = 3 ] && return 0
    done
    die 1 "rnbyc made no usable key in $attempt attempts"
}

make_certificates() {
    ec_key "$state/ca.key"
    openssl req -x509 -key "$state/ca.key" -days 30 -subj "/CN=AuthStateKit test authority" -out "$state/ca.pem"
    ec_key "$state/tls.key"
    openssl req -new -key "$state/tls.key" -subj /CN=127.0.0.1 |
        openssl x509 -req -CA "$state/ca.pem" -CAkey "$state/ca.key" -CAcreateserial -days 30 -out "$state/tls.pem" \
            -extfile <(echo "subjectAltName=IP:127.0.0.1,DNS:localhost") 2>/dev/null
}

# Certificates of clients: `mtls` by the authority; `stranger`, which no client is registered with, likewise; `selfsigned`
# by itself, which GnuTLS accepts only when it is among the authorities.
make_client_certificates() {
    local name
    for name in mtls stranger; do
        ec_key "$state/$name.key"
        openssl req -new -key "$state/$name.key" -subj "/CN=$name" |
            openssl x509 -req -CA "$state/ca.pem" -CAkey "$state/ca.key" -CAcreateserial -days 30 \
                -out "$state/$name.pem" -extfile <(echo "subjectAltName=DNS:$name.example.test") 2>/dev/null
    done
    ec_key "$state/selfsigned.key"
    openssl req -x509 -key "$state/selfsigned.key" -days 30 -subj /CN=selfsigned -out "$state/selfsigned.pem"
    cat "$state/ca.pem" "$state/selfsigned.pem" >"$state/client-ca.pem"
}

# The package leaves its pages without their configuration file (a folder stands in its place), and without it they
# load for ever. Links would not do: glewlwyd serves only files that really lie in its folder.
copy_pages() {
    cp -rL /usr/share/glewlwyd/webapp "$state/webapp"
    rm -rf "$state/webapp/config.json"
    cp /usr/share/glewlwyd/templates/config.json "$state/webapp/config.json"
}

write_configuration() {
    cat >"$state/conf" <<CONF
port=$port
bind_address="127.0.0.1"
external_url="$base"
use_secure_connection=$secure
secure_connection_key_file="$state/tls.key"
secure_connection_pem_file="$state/tls.pem"
$client_authority
api_prefix="api"
login_url="login.html"
static_files_path="$state/webapp/"
static_files_mime_types=(
  {extension=".html" mime_type="text/html" compress=1},
  {extension=".js" mime_type="application/javascript" compress=1},
  {extension=".css" mime_type="text/css" compress=1},
  {extension=".json" mime_type="application/json" compress=1}
)
cookie_domain="127.0.0.1"
cookie_secure=0
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
log_mode="file"
log_file="$state/log"
log_level="WARNING"
user_module_path="/usr/lib/glewlwyd/user"
user_middleware_module_path="/usr/lib/glewlwyd/user_middleware"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA256"
database = { type="sqlite3" path="$state/db" };
CONF
}

need glewlwyd sqlite3 rnbyc openssl $python
port=$(choose_port "${1:-0}")
make_state_folder "${2-}"

make_database
make_signing_keys
ec_key "$state/client.pem"
if [ "${TLS-}" = 1 ]; then
    scheme=https secure=true ca="\"$state/ca.pem\""
    client_authority="secure_connection_ca_file=\"$state/client-ca.pem\""
    make_certificates
    make_client_certificates
else
    scheme=http secure=false ca=null client_authority=""
fi
base="$scheme://127.0.0.1:$port"
copy_pages
write_configuration

announcement=$(cat <<JSON
{"provider": "glewlwyd", "issuer": "$base/api/oidc", "strict_issuer": "$base/api/strict", "ca": $ca,
 "client_key": "$state/client.pem", "client_key_id": "client-1", "state": "$state"}
JSON
)
exec $python "$providers/supervise.py" --parent $PPID --ready "$base/config" --log "$state/log" \
    --setup "$python '$here/seed.py' '$base' '$state'" --announce "$announcement" "${temporary[@]}" \
    -- glewlwyd --config-file="$state/conf"
