#!/bin/bash
# Installs what the integration tests need on Debian 12: OpenID providers, protected MCP servers, a headless
# Chromium, PostgreSQL, a keyring, and Project Wycheproof's vectors for the tests of signatures.
# Asks nothing, may be run again at any time, and does only what is still missing.
#
# usage: install.sh [PACKAGE…]    the Debian packages named are installed too
#
# AUTHSTATE_PROVIDERS   where the Python environments go (default ~/.cache/authstatekit-providers): venv for
#                       requirements.txt, mcp, mcp-before and allauth for theirs; none restricts the versions of another
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${AUTHSTATE_PROVIDERS:-${XDG_CACHE_HOME:-$HOME/.cache}/authstatekit-providers}

packages=(
    glewlwyd dbconfig-no-thanks sqlite3 rnbyc   # the provider in C, its database, its key generator
    python3 python3-venv                        # the provider in Python, and every script here
    ruby-doorkeeper-openid-connect puma         # the provider in Ruby, with Rails
    ruby-activerecord ruby-sqlite3              # and its database
    ruby-openid-connect                         # a second one, a library
    chromium chromium-driver fonts-dejavu-core  # a real browser, driven over WebDriver
    openssl ca-certificates                     # a certificate authority of the tests' own
    iproute2                                    # a network namespace for client metadata documents
    libcurl4 libssl3                            # what the library itself loads at run time
    postgresql libpq-dev                        # the database of Examples/PostgresStore, and its client library
    libsqlite3-0 libsqlite3-dev                 # the library of AuthStateSQLite, and its header
    libsecret-1-0 libsecret-tools               # the client library of the Secret Service, and a second client
    gnome-keyring dbus                          # a Secret Service, and the session that it is in
    git                                         # asks 'authstate git-credential'
    skopeo                                      # asks 'authstate docker-credential'
    curl                                        # the program behind 'authstate proxy'
    python3-authlib python3-requests-oauthlib   # clients in Python that log in at 'authstate provider'
    golang-go golang-golang-x-oauth2-dev        # one in Go
    oidc-agent-cli                              # and one in C
    python3-boto3                               # asks 'authstate aws-credential'
    debootstrap                                 # a system in which the package of authstate is installed
    "$@"
)

as_root() {
    if [ "$(id -u)" = 0 ]; then env "$@"; else sudo env "$@"; fi
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

apt_install() {
    as_root DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install -y --no-install-recommends "$@" >&2
}

install_packages() {
    local missing=() package
    # Another vendor's kubectl does as well, and its package may have the same files.
    command -v kubectl >/dev/null || packages+=(kubernetes-client)
    for package in "${packages[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "installing ${missing[*]}" >&2
    # Without this answer glewlwyd asks for a database server, and its set-up fails when there is none.
    as_root debconf-set-selections <<<'glewlwyd glewlwyd/config_type select No configuration'
    # The package lists of a bare machine are empty or old: fetch them only when the first try fails.
    apt_install "${missing[@]}" 2>/dev/null && return 0
    as_root apt-get -qq -o DPkg::Lock::Timeout=300 update >&2
    apt_install "${missing[@]}"
}

# has_requirements ENVIRONMENT FILE: true when the environment holds exactly the pinned versions.
has_requirements() {
    [ -x "$folder/$1/bin/python" ] && "$folder/$1/bin/python" - "$2" <<'PYTHON'
import importlib.metadata, sys
for line in open(sys.argv[1]):
    name, _, version = line.strip().partition("==")
    if name and not name.startswith("#"):
        try:
            if importlib.metadata.version(name) == version:
                continue
        except importlib.metadata.PackageNotFoundError:
            pass
        sys.exit(1)
PYTHON
}

# install_python_environment ENVIRONMENT FILE
install_python_environment() {
    has_requirements "$1" "$2" && return 0
    echo "creating $folder/$1" >&2
    mkdir -p "$folder"
    # Debian's own Python: another one in PATH may lack the venv module or go away.
    /usr/bin/python3 -m venv --clear "$folder/$1"
    "$folder/$1/bin/python" -m pip install --quiet --disable-pip-version-check -r "$2" >&2
    has_requirements "$1" "$2"
}

install_packages
install_python_environment venv "$here/requirements.txt"
install_python_environment mcp "$here/mcp/requirements.txt"
install_python_environment mcp-before "$here/mcp/requirements-before.txt"
install_python_environment allauth "$here/allauth/requirements.txt"
echo "$folder"
