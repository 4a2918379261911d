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
# gives ports to outgoing connections, and away from the redirect URIs' 8400–8799.
#
# A provider may bind its port seconds later. Until this script and the program that follows it have ended, no other script
# chooses the port: the byte of that number in a file is locked by the descriptor that they share.
choose_port() {
    if [ "$1" != 0 ]; then echo "$1"; return; fi
    $python - <<'PYTHON'
import fcntl, random, socket, struct, sys
for port in random.sample(range(20000, 32000), 100):
    lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, port, 1, 0)
    with socket.socket() as probe:
        try:
            fcntl.fcntl(9, fcntl.F_OFD_SETLK, lock)
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(port)
        sys.exit()
sys.exit("no free port")
PYTHON
}
exec 9<>"${TMPDIR:-/tmp}/authstate-ports.$UID"

# choose_other_port PORT…: prints a free port that is none of these.
choose_other_port() {
    local port
    while port=$(choose_port 0); do
        [[ " $* " == *" $port "* ]] || break
    done
    echo "$port"
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

# make_authority FOLDER NAME: a certificate authority of the tests' own, ca.pem and ca.key.
make_authority() {
    openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1/ca.key" 2>/dev/null
    openssl req -x509 -key "$1/ca.key" -days 30 -subj "/CN=$2" -out "$1/ca.pem"
}

# make_certificate FOLDER NAME ALTERNATIVE_NAMES: NAME.pem and NAME.key, for a server, by the folder's authority.
make_certificate() {
    openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1/$2.key" 2>/dev/null
    openssl req -new -key "$1/$2.key" -subj "/CN=$2" |
        openssl x509 -req -CA "$1/ca.pem" -CAkey "$1/ca.key" -CAcreateserial -days 30 -out "$1/$2.pem" \
            -extfile <(echo "subjectAltName=$3") 2>/dev/null
}

# stay ISSUER COMMAND…: says where the provider of this folder is once it is ready, and stays with it until it is ended.
stay() {
    local name
    name=$(basename "$here")
    exec $python "$providers/supervise.py" --parent $PPID --ready "$1/.well-known/openid-configuration" \
        --log "$state/log" "${temporary[@]}" \
        --announce "{\"provider\": \"$name\", \"issuer\": \"$1\", \"ca\": null, \"state\": \"$state\"}" -- "${@:2}"
}
