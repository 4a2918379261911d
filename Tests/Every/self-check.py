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
LEDGER, MERGING, SAVING, STORING = (
    f"AuthState/Ledger/{name}.swift" for name in ("Ledger", "AuthState+Merging", "Saving", "Storing"))
RENEWAL, RULES = "AuthState/Renewal/Renewal.swift", "AuthState/Renewal/Renewal+Rules.swift"

# Name, file, text, what takes its place, what may happen in the search.
SWITCHES = [
    # What readers see
    ("readers see what is stored", LEDGER, "if isSaved || newest.value.isLoggedOut { shown = newest }", "shown = newest", "login"),
    ("readers see an end at once", LEDGER, "if isSaved || newest.value.isLoggedOut {", "if isSaved {", "logout"),
    # The order of outcomes
    ("a reading that was overtaken has no effect", LEDGER, "        guard isLatest(reading) else { return [] }\n", "",
     "removal,login"),
    ("a deletion whose lease was lost does not count", LEDGER,
     "guard version == writing.expected || version == nil else { return [] }", "", "login,logout,lostLease,failedWrite=2"),
    # A login that is being saved
    ("a login is later than what it finds", LEDGER, "        if isUndecided(beside: theirs) {", "        if false {",
     "login,logout --behind"),
    ("a login is not lifted over its own end", LEDGER, " && theirs.stamps.client != login", "", "login,logout,lostLease"),
    ("a login is decided when it is stored", LEDGER,
     "        if undecided != nil, storedStamps.grant == undecided { rare.undecided = nil }\n", "", "login,logout,call=0"),
    ("a login's own failed save decides it", LEDGER, "        if newest.value.grantID == login { rare.undecided = nil }\n", "",
     "login,logout,failedWrite=2"),
    # Removals
    ("a removal ends what was stored", LEDGER, "guard wasStored, grant < end,", "guard false, wasStored, grant < end,", "removal"),
    ("a removal does not end a login that was never stored", LEDGER, "grant != login, ", "", "login,removal --behind"),
    # Merging
    ("the later grant stands", MERGING, "var next = stamps.grant < other.stamps.grant ? other : self", "var next = self", "login"),
    ("the newer refresh token stands", MERGING, "if theirs.refreshToken > stamps.refreshToken {", "if false {", "expiry"),
    ("the newer tokens stand", MERGING, "        if theirs.tokens > stamps.tokens {", "        if false {", "expiry"),
    ("newer tokens end an error", MERGING, "if stamps.error.time < answered {", "if false {", "expiry,lostAnswer,logout,login"),
    # Saving
    ("a save is tried twice", SAVING, "return ledger.isSaved ? end() : go(to: .second, .save)", "return end()", "expiry,failedWrite,crash"),
    ("a failed save reads the store before it is tried again", SAVING, "case (.first, _): return go(to: .reading, .load)",
     "case (.first, _): return go(to: .second, .save)", "expiry,ghostWrite,crash"),
    ("a logout is stored", STORING, "                return save(ledger)\n            // With no",
     "                return ending == nil ? save(ledger) : finish(.success(ended))\n            // With no", "logout"),
    ("an end that cannot be saved deletes what is stored", STORING,
     "guard ending != nil, ledger.newest.value.isForgettable else", "guard false else", "logout,failedWrite=2,crash"),
    ("a login is not deleted in place of an end", STORING, "guard ending != nil, ledger.newest.value.isForgettable else",
     "guard ending != nil else", "login,logout,failedWrite=2"),
    # The renewal
    ("the store is read under the lease", RENEWAL, "            case (.ready, .begin): return go(to: .reading, .load)\n",
     "            case (.ready, .begin): return save(then: .decide, &ledger)\n", "expiry"),
    ("what is unsaved is saved first", RENEWAL, "case (.reading, .done): return save(then: .decide, &ledger)",
     "case (.reading, .done): return follow(.decide, &ledger)", "login,expiry,crash"),
    ("a newer grant is saved before the lease is released", RENEWAL,
     "            save(then: .supersede(late: late), &ledger)\n", "            follow(.supersede(late: late), &ledger)\n",
     "login,expiry,crash"),
    ("tokens at hand are not renewed", RULES, "        if let usable = usable(ledger) { return finish(.tokens(usable)) }\n        if reason",
     "        if reason", "expiry"),
    ("no token is redeemed beside a state that cannot be saved", RULES,
     "        if !ledger.isSaved, let error = ledger.storeError?.value { return finish(.failed(error)) }\n", "",
     "login,expiry,failedWrite=2,crash"),
    ("space and lease are there before a token is redeemed", RULES, "return go(to: .reserving(request), .reserve)",
     "return go(to: .redeeming(request), .redeem(request))", "expiry,lostLease"),
    ("an answer for a former grant is dropped", RULES, "        guard ledger.newest.value.grantID == grantID else {\n            events.append(.lateResultDropped)\n            return supersede(late: try?",
     "        guard true else {\n            events.append(.lateResultDropped)\n            return supersede(late: try?", "login,expiry"),
    ("tokens of a former grant are not delivered after their save", RULES, "case .deliver(let response, let end) where isCurrent:",
     "case .deliver(let response, let end):", "login,expiry"),
    ("a refusal reads the store again", RULES, "case .reauthenticationRequired: return go(to: .rereading(error, request), .load)",
     "case .reauthenticationRequired: return refused(error, request, &ledger)", "expiry,lostLease"),
    ("a newer token overrules a refusal", RULES, "        if record.refreshToken != request.grant.refreshToken {", "        if false {",
     "expiry,lostLease"),
    ("a refresh token is saved before its ID token is verified", RULES, "guard response.idToken != nil, let refreshToken", "guard false, let refreshToken",
     "expiry,crash,badToken"),
    ("a refresh token is kept when the ID token beside it is bad", RULES,
     "return keep(answer.refreshToken, asked: asked, after: error, &ledger)",
     "return keep(nil, asked: asked, after: error, &ledger)", "expiry,badToken"),
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
        sys.exit(build.stdout[-4000:])
    folder = subprocess.check_output(["swift", "build", *options, "--show-bin-path"], text=True).strip()
    words = budget.split()
    try:
        return subprocess.run([f"{folder}/Every", "--budget", *words, "--limit", "400000"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=300).stdout
    except subprocess.TimeoutExpired:
        return "no end within five minutes"


def main() -> int:
    copy = simulation().copy
    place = ROOT / ".build-core-check" / "package"
    wanted, failures, tried = sys.argv[1:], 0, 0
    for name, file, text, replacement, budget in SWITCHES:
        if wanted and not any(word in name for word in wanted):
            continue
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
        print(f"{name}: {f'{broken[1]}, after {moves} moves' if broken else 'NOT FOUND'} ({budget})", flush=True)
        failures, tried = failures + (not broken), tried + 1
    copy(ROOT, place)
    print(f"{tried} rules taken out, {failures} not found")
    return 1 if failures or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
