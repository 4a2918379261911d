#!/bin/bash
# Installs what the integration tests need on Debian 12: three OpenID providers, a headless Chromium, PostgreSQL, and
# Project Wycheproof's vectors for the tests of signatures.
# Asks nothing, may be run again at any time, and does only what is still missing.
#
# usage: install.sh [PACKAGE…]    the Debian packages named are installed too
#
# AUTHSTATE_PROVIDERS   where the Python environment goes (default ~/.cache/authstatekit-providers)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${AUTHSTATE_PROVIDERS:-${XDG_CACHE_HOME:-$HOME/.cache}/authstatekit-providers}

packages=(
    glewlwyd dbconfig-no-thanks sqlite3 rnbyc   # the provider in C, its database, its key generator
    python3 python3-venv                        # the provider in Python, and every script here
    ruby-doorkeeper-openid-connect puma         # the provider in Ruby, with Rails
    ruby-activerecord ruby-sqlite3              # and its database
    chromium chromium-driver fonts-dejavu-core  # a real browser, driven over WebDriver
    openssl ca-certificates                     # a certificate authority of the tests' own
    libcurl4 libssl3                            # what the library itself loads at run time
    postgresql libpq-dev                        # the database of Examples/PostgresStore, and its client library
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

# True when the environment holds exactly the pinned versions.
has_requirements() {
    [ -x "$folder/venv/bin/python" ] && "$folder/venv/bin/python" - "$here/requirements.txt" <<'PYTHON'
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

install_python_environment() {
    has_requirements && return 0
    echo "creating $folder/venv" >&2
    mkdir -p "$folder"
    # Debian's own Python: another one in PATH may lack the venv module or go away.
    /usr/bin/python3 -m venv --clear "$folder/venv"
    "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt" >&2
    has_requirements
}

install_packages
install_python_environment
echo "$folder"
