# Shared by the start scripts; sourced, not run.

readonly not_installed=2
readonly python=/usr/bin/python3
providers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# die STATUS MESSAGE
die() {
    echo "$(basename "$(dirname "$0")")/$(basename "$0"): $2" >&2
    exit "$1"
}

# need COMMAND…: ends with status 2 when one of them is missing, so that a caller can tell "skip" from "broken".
need() {
    local command
    for command in "$@"; do
        command -v "$command" >/dev/null || die $not_installed "$command is not installed: run $providers/install.sh"
    done
}

# choose_port PORT: prints PORT, or a free one for 0. Free ports are looked for below the range from which the kernel
# gives ports to outgoing connections, and away from the redirect URIs' 8400–8499.
choose_port() {
    if [ "$1" != 0 ]; then echo "$1"; return; fi
    $python - <<'PYTHON'
import random, socket, sys
for port in random.sample(range(20000, 32000), 100):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(port)
        sys.exit()
sys.exit("no free port")
PYTHON
}

# make_state_folder [FOLDER]: sets `state`, and `temporary` when the folder is ours to remove in the end.
make_state_folder() {
    temporary=()
    if [ -n "${1-}" ]; then
        [ -z "$(ls -A "$1" 2>/dev/null)" ] || die 1 "$1 is not empty: a provider starts afresh"
        mkdir -p "$1"
        state=$(cd "$1" && pwd)
    else
        state=$(mktemp -d "${TMPDIR:-/tmp}/authstate-provider.XXXXXX")
        temporary=(--remove "$state")
    fi
}
