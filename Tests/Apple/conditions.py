"""Rewrites Swift's platform conditions to what they are on one Apple platform, and says which lines are compiled there.

    #if os(Linux) || canImport(UIKit)   →   #if false || true        (on iOS; every line stays where it was)
    import Foundation                   →   import FoundationDarwin  (the stub of what Apple's Foundation has)

What the file `modules` does not name is an error, so that no condition is quietly taken for false.
"""
import pathlib
import re

PLATFORMS = {
    "ios": "iOS", "macos": "macOS", "tvos": "tvOS", "watchos": "watchOS", "visionos": "visionOS",
}
# Those that Examples/AppleApp is for.
APP_PLATFORMS = ("ios", "macos")
FOLDER = pathlib.Path(__file__).resolve().parent

DIRECTIVE = re.compile(r"^(\s*)#(if|elseif|else|endif)\b([^\n]*)$")
PREDICATE = re.compile(r"\b(os|canImport|targetEnvironment)\s*\(\s*(\w+)[^)]*\)")
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:class|struct|enum|protocol|func|var|let|typealias)\s+)?(\w+)"
)


class ConditionError(Exception):
    pass


def sdk_modules():
    """Module name → the platforms that have it."""
    table = {}
    for line in (FOLDER / "modules").read_text().splitlines():
        words = line.partition("#")[0].split()
        if words:
            table[words[0]] = set(PLATFORMS.values()) if words[1:] == ["all"] else set(words[1:])
    return table


SDK_MODULES = sdk_modules()


class Source:
    """One Swift file as it is on one platform."""

    def __init__(self, text, platform, replaces_foundation=True):
        self.platform = PLATFORMS[platform]
        self.lines = []
        self.is_active = []
        # For each open #if: whether its outside is active, whether a branch was taken for sure, whether this one may be.
        stack = []
        for number, line in enumerate(text.split("\n"), 1):
            directive = DIRECTIVE.match(line)
            if directive:
                line = self.rewritten(line, number)
                self.follow(directive[2], DIRECTIVE.match(line)[3], stack, number)
            active = not directive and all(outer and here for outer, _, here in stack)
            if active and replaces_foundation:
                line = re.sub(r"(import\s+)Foundation$", r"\1FoundationDarwin", line)
            self.lines.append(line)
            self.is_active.append(active)
        if stack:
            raise ConditionError(f"{len(self.lines)}: #if without #endif")

    @property
    def text(self):
        return "\n".join(self.lines)

    @property
    def imports(self):
        """The modules that the active lines import."""
        found = (IMPORT.match(line) for line, active in zip(self.lines, self.is_active) if active)
        return {match[1] for match in found if match}

    def rewritten(self, line, number):
        def value(match):
            predicate, argument = match[1], match[2]
            if predicate == "os":
                holds = argument == self.platform
            elif predicate == "targetEnvironment":
                holds = False
            elif argument in SDK_MODULES:
                holds = self.platform in SDK_MODULES[argument]
            else:
                raise ConditionError(f"{number}: Tests/Apple/modules does not say where {argument} can be imported")
            return "true" if holds else "false"

        return PREDICATE.sub(value, line)

    def follow(self, directive, condition, stack, number):
        if directive == "if":
            holds = evaluate(condition)
            stack.append((all(here for _, _, here in stack), holds is True, holds is not False))
            return
        if not stack:
            raise ConditionError(f"{number}: #{directive} without #if")
        outer, taken, _ = stack.pop()
        if directive == "elseif":
            holds = evaluate(condition)
            stack.append((outer, taken or holds is True, not taken and holds is not False))
        elif directive == "else":
            stack.append((outer, taken, not taken))


def evaluate(condition):
    """True, False, or None where it depends on a flag of the build: then the lines count as compiled."""
    condition = condition.partition("//")[0]
    tokens = re.findall(r"&&|\|\||[!()]|\w+(?:\s*\([^)]*\))?", condition)

    def disjunction():
        value = conjunction()
        while tokens and tokens[0] == "||":
            tokens.pop(0)
            other = conjunction()
            value = True if value is True or other is True else None if value is None or other is None else False
        return value

    def conjunction():
        value = term()
        while tokens and tokens[0] == "&&":
            tokens.pop(0)
            other = term()
            value = False if value is False or other is False else None if value is None or other is None else True
        return value

    def term():
        token = tokens.pop(0)
        if token == "!":
            value = term()
            return None if value is None else not value
        if token == "(":
            value = disjunction()
            tokens.pop(0)
            return value
        return {"true": True, "false": False}.get(token)

    return disjunction()
