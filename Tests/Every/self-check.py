#!/usr/bin/env python3
"""Takes rules out of the ledger and its machines, one at a time, in a copy of the package, and searches for the history that
breaks a promise then.

usage: .ci/every --self-check [NAME…]

A rule that no history breaks is a failure, and so is one whose text is not in the sources exactly once: this table then has to
follow the code.
"""

import importlib.util
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KIT = "Sources/AuthStateKit/"
LEDGER, MERGING, STAMPS, TOKENS, TRANSITIONS, SAVING, STORING = (
    f"AuthState/Ledger/{name}.swift"
    for name in ("Ledger", "AuthState+Merging", "AuthState+Stamps", "Record+Tokens", "AuthState+Transitions", "Saving", "Storing"))
RENEWAL, RULES = "AuthState/Renewal/Renewal.swift", "AuthState/Renewal/Renewal+Rules.swift"

# Name, file, text, what takes its place, what may happen in the search.
SWITCHES = [
    # What readers see
    ("readers see what is stored", LEDGER, "if isSaved || newest.value.isLoggedOut { shown = newest }", "shown = newest", "login"),
    ("readers see an end at once", LEDGER, "if isSaved || newest.value.isLoggedOut {", "if isSaved {", "logout"),
    ("readers see what another process stored", LEDGER, "        visible = visible.merged(with: theirs)\n", "", "login,logout"),
    ("readers see a removal beside a login that is being saved", LEDGER, "        shown = after(shown)\n", "", "removal,login"),
    # A login that is being saved
    ("a login is later than what it finds", LEDGER, "        if isUndecided(beside: theirs) {", "        if false {",
     "login,logout --behind"),
    # Removals
    ("a removal ends what was stored", LEDGER, "guard wasStored, grant < end,", "guard false, wasStored, grant < end,", "removal"),
    ("a removal does not end a login that was never stored", LEDGER, "grant != login, ", "", "login,removal --behind"),
    ("a login that is found after a removal is later", LEDGER, "        if rare.isRemoved {\n", "        if false {\n",
     "login,removal --behind"),
    # Merging
    ("the progress of a grant is merged", MERGING, "if older.stamps.grant == next.stamps.grant {", "if false {", "expiry"),
    ("a decision is later than what its process knew", STAMPS, "max(Int64(wall.rounded()), newest + 1)", "Int64(wall.rounded())",
     "login,logout --behind"),
    ("the later grant stands", MERGING, "var next = stamps.grant < other.stamps.grant ? other : self", "var next = self", "login"),
    ("the newer refresh token stands", MERGING, "if theirs.refreshToken > stamps.refreshToken {", "if false {", "expiry"),
    ("the newer tokens stand", MERGING, "        if theirs.tokens > stamps.tokens {", "        if false {", "expiry"),
    ("an end has no tokens", TRANSITIONS, "        case .loggedOut:\n            next.logOut()\n", "        case .loggedOut: break\n", "logout"),
    ("a rotated refresh token replaces the one before", TRANSITIONS,
     "if stamp >= stamps.refreshToken { (self", "if false { (self", "expiry"),
    # Saving
    ("a save is tried twice", SAVING, "return ledger.isSaved ? end() : go(to: .second, .save)", "return end()", "expiry,failedWrite,crash"),
    ("a logout is stored", STORING, "                return save(ledger)\n            // With no",
     "                return ending == nil ? save(ledger) : finish(.success(ended))\n            // With no", "logout"),
    ("a login is not deleted in place of an end", STORING, "guard ending != nil, ledger.newest.value.isForgettable else",
     "guard ending != nil else", "login,logout,failedWrite=2"),
    # The renewal
    ("the store is read under the lease", RENEWAL, "            case (.ready, .begin): return go(to: .reading, .load)\n",
     "            case (.ready, .begin): return save(then: .decide, &ledger)\n", "expiry"),
    ("a store that cannot be read stops a renewal", RENEWAL,
     "case (.reading, .failed(let error)), (.reserving, .failed(let error)),",
     "case (.reading, .failed): return save(then: .decide, &ledger)\n            case (.reserving, .failed(let error)),", "expiry,failedRead"),
    ("a lease that is lost stops a renewal", RENEWAL, "case (.reserving(let request), .done):",
     "case (.reserving(let request), .done), (.reserving(let request), .failed):", "expiry,lostLease"),
    ("what is unsaved is saved first", RENEWAL, "case (.reading, .done): return save(then: .decide, &ledger)",
     "case (.reading, .done): return follow(.decide, &ledger)", "login,expiry,crash"),
    ("a newer grant is saved before the lease is released", RENEWAL,
     "            save(then: .supersede(late: late), &ledger)\n", "            follow(.supersede(late: late), &ledger)\n",
     "login,expiry,crash"),
    ("tokens at hand are not renewed", RULES, "        if let usable = usable(ledger) { return finish(.tokens(usable)) }\n        if reason",
     "        if reason", "expiry"),
    ("space and lease are there before a token is redeemed", RULES, "return go(to: .reserving(request), .reserve)",
     "return go(to: .redeeming(request), .redeem(request))", "expiry,lostLease"),
    ("an answer for a former grant is dropped", RULES, "        guard ledger.newest.value.grantID == grantID else {\n            events.append(.lateResultDropped)\n            return supersede(late: try?",
     "        guard true else {\n            events.append(.lateResultDropped)\n            return supersede(late: try?", "login,expiry,badToken"),
    ("an answer is saved before it is delivered", RULES, "if parameters.isNone { return save(.renewed(response), at: asked, then: next, &ledger) }",
     "if parameters.isNone {\n            apply(.renewed(response), at: asked, &ledger)\n            return follow(next, &ledger)\n        }", "expiry"),
    ("expired tokens are not at hand", TOKENS, "            now < (parameters", "            now < .infinity || now < (parameters", "expiry"),
    ("a refresh token is saved before its ID token is verified", RULES, "guard response.idToken != nil, let refreshToken", "guard false, let refreshToken",
     "expiry,crash,badToken"),
]


def simulation():
    """The same copying and the same kind of table as the simulation's."""
    spec = importlib.util.spec_from_file_location("core", ROOT / "Tests/Simulation/core-check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def search(place: pathlib.Path, budget: str) -> str:
    """Builds the copy and returns what the search printed."""
    options = ["--product", "Every", "--package-path", str(place), "--scratch-path", str(place.parent / "build")]
    build = subprocess.run(["swift", "build", *options], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if build.returncode:
        return f"does not compile: {build.stdout[-2000:]}"
    folder = subprocess.check_output(["swift", "build", *options, "--show-bin-path"], text=True).strip()
    words = budget.split()
    try:
        return subprocess.run([f"{folder}/Every", "--budget", *words, "--limit", "400000"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300).stdout
    except subprocess.TimeoutExpired:
        return "no end within five minutes"


def main() -> int:
    copy = simulation().copy
    place = ROOT / ".build-core-check" / "package"
    wanted, failures, tried = sys.argv[1:], 0, 0
    chosen = [row for row in SWITCHES if not wanted or any(word in row[0] for word in wanted)]
    copy(ROOT, place)
    for budget in sorted({row[4] for row in chosen}):
        if "every promise holds" not in search(place, budget):
            print(f"a promise does not hold with all rules ({budget})", flush=True)
            failures += 1
    for name, file, text, replacement, budget in chosen:
        copy(ROOT, place)
        target = place / KIT / file
        source = target.read_text()
        if source.count(text) != 1:
            print(f"{name}: its text is {source.count(text)} times in {file}", flush=True)
            failures += 1
            continue
        target.write_text(source.replace(text, replacement))
        output = search(place, budget)
        broken = re.search(r"BROKEN: (.*)", output)
        moves = len(re.findall(r"^  \w", output, re.M))
        print(f"{name}: {f'{broken[1]}, after {moves} moves' if broken else 'NOT FOUND: ' + output[-2000:]} ({budget})", flush=True)
        failures, tried = failures + (not broken), tried + 1
    copy(ROOT, place)
    print(f"{tried} rules taken out, {failures} not found")
    return 1 if failures or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
