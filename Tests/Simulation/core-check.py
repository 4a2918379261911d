#!/usr/bin/env python3
"""Switches off rules of the core, one at a time, in a copy of the package, and lets the simulation find each.

usage: .ci/simulation --core-check [NAME…]

A rule that is not found within its number of seeds is a failure, and so is one whose text is not in the sources exactly
once: this table then has to follow the code.
"""

import pathlib
import re
import shutil
import subprocess
import sys

CORE = "Sources/AuthStateKit/AuthState/"
LEDGER, RENEWAL = "Ledger/", "Renewal/"
RESOURCE = "../../AuthStateResource/ResourceAccess+"

# Name, file, text, what takes its place, seeds within which a rule of the simulation is found broken, and their topic.
SWITCHES = [
    ("the store is read again under the lease", RENEWAL + "Renewal.swift",
     "            case (.ready, .begin): return go(to: .reading, .load)\n",
     "            case (.ready, .begin): return save(then: .decide, &ledger)\n", 50),
    ("readers see what is stored, or what is reported", LEDGER + "Ledger.swift",
     "        if isSaved || newest.value.isLoggedOut { shown = newest }", "        shown = newest", 50),
    ("the store is looked at before tokens are used", "AuthState+Noticing.swift",
     "        for _ in 0..<2 where !isInSight {", "        for _ in 0..<0 where !isInSight {", 400, "logouts elsewhere"),
    ("a login is later than what it finds stored", LEDGER + "AuthState+Merging.swift",
     "        stamps.lift(above: other.stamps.newest)\n", "", 400),
    ("the later grant stands", LEDGER + "AuthState+Merging.swift",
     "        var next = stamps.grant < other.stamps.grant ? other : self\n"
     "        let older = stamps.grant < other.stamps.grant ? self : other\n",
     "        var next = other\n        let older = self\n", 100),
    ("the newer refresh token stands", LEDGER + "AuthState+Merging.swift",
     "if theirs.refreshToken > stamps.refreshToken {", "if false {", 100),
    ("a registration that was changed is kept", LEDGER + "AuthState+Merging.swift",
     "            next.takeRegistration(of: registered)\n", "", 400),
    ("a logout is stored", LEDGER + "Storing.swift",
     "                return save(ledger)\n            // With no",
     "                return ending == nil ? save(ledger) : finish(.success(ended))\n            // With no", 100),
    ("a refresh token that is bound to a key goes with a proof", LEDGER + "Record+Tokens.swift",
     "        request.dpopKey = dpopKey\n", "", 200),
    ("a rotated refresh token is saved at the second try", LEDGER + "Saving.swift",
     "return ledger.isSaved ? end() : go(to: .second, .save)", "return end()", 400),
    ("a renewal is not repeated without its lease", RENEWAL + "Renewal.swift",
     "                return go(to: .reservingAgain(answer), .reserve)\n",
     "                return go(to: .redeeming(answer.request), .redeem(answer.request))\n", 1000, "lost leases"),
    ("calls for a resource share one login", RESOURCE + "Login.swift",
     "        if let running, !running.isOver {\n            _ = try await running.value()\n            return true\n        }\n",
     "", 100, "resource"),
    ("logins for more rights are bounded", RESOURCE + "History.swift",
     "TrustCheck.stepUpBound.holds(made < limit && missing.contains { !notGranted.contains($0) })", "made < 10", 100,
     "resource"),
    ("a forgotten client registers anew", RESOURCE + "Login.swift",
     "let issuer = plan.provider.issuer, history.forget(known, at: issuer)\n",
     "let issuer = plan.provider.issuer, known == issuer.rawValue\n", 400, "resource"),
    ("a registration is shared", RESOURCE + "Client.swift",
     "                if let former, isUsable(former), !", "                if let former, false, isUsable(former), !", 100,
     "resource"),
]


def copy(root: pathlib.Path, place: pathlib.Path) -> None:
    """Copies what git tracks, and leaves files alone that are the same, so that little is compiled again."""
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=root, text=True).split("\0")
    # A file that has moved would be compiled twice.
    for old in place.rglob("*"):
        if old.is_file() and str(old.relative_to(place)) not in names:
            old.unlink()
    for name in names:
        source, target = root / name, place / name
        if not name or not source.is_file():
            continue
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def simulate(place: pathlib.Path, seeds: int, topic: str | None) -> str:
    """Builds the copy and returns what a run of the simulation printed."""
    options = ["--product", "Simulation", "--package-path", str(place), "--scratch-path", str(place.parent / "build"),
               "-Xlinker", "--export-dynamic"]
    build = subprocess.run(["swift", "build", *options], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if build.returncode:
        sys.exit(build.stdout[-4000:])
    folder = subprocess.check_output(["swift", "build", *options, "--show-bin-path"], text=True).strip()
    command = [f"{folder}/Simulation", "--seeds", str(seeds)] + (["--topic", topic] if topic else [])
    try:
        return subprocess.run(command, text=True, stdout=subprocess.PIPE, timeout=600).stdout
    except subprocess.TimeoutExpired:
        return "FOUND in seed ?: everyCallReturns, the run has no end"


def main() -> int:
    root = pathlib.Path(__file__).resolve().parents[2]
    place = root / ".build-core-check" / "package"
    wanted = sys.argv[1:]
    failures = 0
    for name, file, text, replacement, seeds, *topic in SWITCHES:
        if wanted and not any(word in name for word in wanted):
            continue
        copy(root, place)
        target = place / CORE / file
        source = target.read_text()
        if source.count(text) != 1:
            print(f"{name}: its text is {source.count(text)} times in {file}")
            failures += 1
            continue
        target.write_text(source.replace(text, replacement))
        output = simulate(place, seeds, topic[0] if topic else None)
        found = re.findall(r"FOUND in seed (\S+): (\w+)", output)
        first = ", ".join(f"{rule} in seed {seed}" for seed, rule in found[:1])
        print(f"{name}: {first or 'NOT FOUND'}, of {seeds}", flush=True)
        failures += not found
    copy(root, place)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
