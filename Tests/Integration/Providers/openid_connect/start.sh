#!/bin/bash
# Starts the gem openid_connect with a fresh key, and stays with it until it is ended.
#
# usage: start.sh [PORT [STATE_FOLDER]]    PORT 0 (the default) is any free port; the folder must be new or empty
#
# ACCESS_TOKEN_SECONDS    lifetime of access tokens (default 3600)
#
# Once ready it prints one line of JSON: issuer, and pid, the process to end with SIGTERM; the provider ends with the
# caller at the latest. Status 1: it did not start; 2: it is not installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../common.sh"

# Debian's Ruby: another one in PATH has none of its gems.
readonly ruby=/usr/bin/ruby
need $python $ruby
$ruby -e 'gem "openid_connect"; gem "puma"' 2>/dev/null ||
    die $not_installed "openid_connect is not installed: run $providers/install.sh"
port=$(choose_port "${1:-0}")
make_state_folder "${2-}"
stay "http://127.0.0.1:$port" $ruby "$here/op.rb" "$port"
