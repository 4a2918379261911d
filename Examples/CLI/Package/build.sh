#!/bin/bash
# Makes a Debian package of authstate: the program with Swift's libraries in it, its manual page, completions for bash, zsh and
# fish, and a unit for systemd. Beside it a checksum and a list of what is in it (SPDX 2.3).
#
# usage: build.sh [FOLDER]    the package goes to FOLDER, the current one when none is given
#
# AUTHSTATE_BINARY   a program that is built already, in place of building one
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cli=$(dirname "$here")
folder=$(realpath -m "${1:-.}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

binary=${AUTHSTATE_BINARY:-}
if [ -z "$binary" ]; then
    swift build -c release --static-swift-stdlib --package-path "$cli" --product authstate >&2
    binary=$(swift build -c release --static-swift-stdlib --package-path "$cli" --show-bin-path)/authstate
fi
version=$("$binary" --version | sed 's/^authstate //')
architecture=$(dpkg --print-architecture)
# The time of the commit, so that the same sources make the same package.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$cli" log -1 --format=%ct 2>/dev/null || date +%s)}

install -D -m 755 "$binary" "$root/usr/bin/authstate"
strip --strip-unneeded "$root/usr/bin/authstate"
install -D -m 644 "$here/authstate-token-file.service" "$root/usr/lib/systemd/user/authstate-token-file@.service"
install -d "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" \
    "$root/usr/share/fish/vendor_completions.d" "$root/usr/share/man/man1" "$root/usr/share/doc/authstate"
"$binary" --generate-completion-script bash >"$root/usr/share/bash-completion/completions/authstate"
"$binary" --generate-completion-script zsh >"$root/usr/share/zsh/vendor-completions/_authstate"
"$binary" --generate-completion-script fish >"$root/usr/share/fish/vendor_completions.d/authstate.fish"
(cd "$cli" && swift package generate-manual --configuration debug >&2)
gzip -9n <"$cli/.build/plugins/GenerateManual/outputs/authstate/authstate.1" >"$root/usr/share/man/man1/authstate.1.gz"
cp "$cli/../../Docs/Changelog.md" "$root/usr/share/doc/authstate/changelog.md"

# What is linked in: the packages that were resolved, and Swift's own libraries.
python3 "$here/bill.py" "$version" "$cli/Package.resolved" "$root/usr/bin/authstate" >"$work/authstate.spdx.json"
cp "$work/authstate.spdx.json" "$root/usr/share/doc/authstate/"

install -d "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: authstate
Version: $version
Architecture: $architecture
Maintainer: The AuthStateKit contributors <authstatekit@users.noreply.github.com>
Installed-Size: $(du -k -s --exclude=DEBIAN "$root" | cut -f1)
Depends: ca-certificates, libc6 (>= 2.36), libcurl4 | libcurl4t64, libssl3 | libssl3t64
Recommends: xdg-utils
Suggests: libsecret-1-0
Section: net
Priority: optional
Description: OAuth 2.0 and OpenID Connect logins for the command line
 Logs in at an OpenID provider in the browser, on another device or with a
 key, keeps the tokens, and gives fresh ones to scripts and other programs.
CONTROL
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

mkdir -p "$folder"
name=authstate_${version}_$architecture
dpkg-deb --root-owner-group --build "$root" "$folder/$name.deb" >&2
cp "$work/authstate.spdx.json" "$folder/$name.spdx.json"
(cd "$folder" && sha256sum "$name.deb" "$name.spdx.json") >"$folder/$name.sha256"
echo "$folder/$name.deb"
