#!/usr/bin/python3
"""Checks that the documentation comments of the public API describe the parameters.

usage: .ci/parameters.py           fails, and lists what is missing
       .ci/parameters.py --list    lists all public functions, to compare them with a symbol graph

The rule holds for each public function, initializer and subscript that has three parameters or more, or whose comment
has a "- Parameter" or "- Parameters:" section: every parameter has an entry, under its internal name as DocC requires;
the entries are in the order of the signature, before "- Returns" and "- Throws". Two kinds may leave the section out,
because the parameters are described elsewhere: an initializer that only sets public properties, each by a parameter of
its name, and a function that a protocol of these modules requires, where the protocol has the section; functions of the
same labels count as such, conforming or not.

Reads the sources, not the compiler's output: the code for Apple's platforms, which Linux does not compile, is checked
too, and nothing has to be built.
"""
import pathlib
import re
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = [
    "AuthStateJOSE", "AuthStateOAuth", "AuthStateSystem", "AuthStateStorage", "AuthStateTransport", "AuthStateUserAgent",
    "AuthStateKit", "AuthStateProviders", "AuthStateApp", "AuthStateServer", "AuthStateResource", "AuthStateReport",
    "AuthStatePostgres", "AuthStateSQLite", "AuthStateTesting",
]
# A function with fewer parameters may leave them to its abstract.
MANY = 3
# Fewer public functions than this mean that the sources were not understood.
FEWEST = 400

TOKEN = re.compile(r"""
    (?P<documentation>///[^\n]*)
  | (?P<operator>[ ](?:<<|>>|<|>)[ ])  # no brackets of generic arguments
  | (?P<space>//[^\n]*|\s+)
  | (?P<block>/\*)
  | (?P<text>(?P<hashes>\#*)(?P<quote>\"\"\"|\"))
  | (?P<directive>\#(?:if|elseif|else|endif)\b[^\n]*)
  | (?P<word>`?[\w$]+`?)
  | (?P<arrow>->)
  | (?P<sign>.)
""", re.X | re.S)
TYPES = ("struct", "class", "enum", "actor", "protocol", "extension")
FUNCTIONS = ("func", "init", "subscript")
# Words that stand between a documentation comment and the keyword of its declaration.
MODIFIERS = {
    "public", "open", "package", "internal", "fileprivate", "private", "static", "class", "final", "mutating",
    "nonmutating", "nonisolated", "isolated", "override", "required", "convenience", "indirect", "prefix", "postfix",
    "infix", "borrowing", "consuming", "distributed", "dynamic", "optional", "lazy", "weak", "unowned", "async",
}


class Function(typing.NamedTuple):
    """A public function, initializer or subscript."""

    path: pathlib.Path
    line: int
    name: str  # with its type's name in front, and the labels
    parameters: list  # internal names
    documentation: list  # lines without ///
    is_described: bool = False  # the parameters are described at properties, or at a requirement


class Token(typing.NamedTuple):
    kind: str
    text: str
    line: int


def fail(message):
    sys.exit(f"parameters: {message}")


def end_of_string(source, start, hashes, quote):
    """Returns the place after the string literal whose content begins at `start`, interpolations included."""
    place = start
    while not source.startswith(quote + hashes, place):
        if place >= len(source):
            fail("a string literal does not end")
        if source.startswith("\\" + hashes + "(", place):
            place = end_of_interpolation(source, place + len(hashes) + 2)
        elif source.startswith("\\" + hashes, place):
            place += len(hashes) + 2
        else:
            place += 1
    return place + len(quote + hashes)


def end_of_interpolation(source, place):
    """Returns the place after the parenthesis that closes an interpolation whose content begins at `place`."""
    depth = 1
    while depth:
        match = TOKEN.match(source, place)
        place = match.end()
        if match["text"]:
            place = end_of_string(source, place, match["hashes"], match["quote"])
        elif match["sign"] in ("(", ")"):
            depth += 1 if match["sign"] == "(" else -1
    return place


def tokens(source):
    """Returns the tokens of a file; a string literal is one token, ordinary comments are left out."""
    found, place, line = [], 0, 1
    while place < len(source):
        match = TOKEN.match(source, place)
        kind, end = match.lastgroup, match.end()
        if match["text"] is not None:
            kind, end = "text", end_of_string(source, end, match["hashes"], match["quote"])
        elif kind == "block":
            end = source.index("*/", end) + 2
        text = source[place:end]
        if kind not in ("space", "block"):
            found.append(Token(kind, text, line))
        line += text.count("\n")
        place = end
    return found


def closing(found, start):
    """Returns the index of the token that closes the bracket at `start`."""
    depth = 0
    for index in range(start, len(found)):
        if found[index].kind != "sign":
            continue
        if found[index].text in "([{":
            depth += 1
        elif found[index].text in ")]}":
            depth -= 1
            if depth == 0:
                return index
    fail(f"line {found[start].line}: no bracket closes {found[start].text}")


def separated(found):
    """Returns the tokens in parts: those between the commas outside all brackets."""
    parts, depth = [[]], 0
    for token in found:
        if token.kind == "sign" and token.text in "([{<":
            depth += 1
        elif token.kind == "sign" and token.text in ")]}>":
            depth -= 1
        if depth == 0 and token.text == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def names(part):
    """Returns a parameter's label and its internal name."""
    words = []
    for token in part:
        if token.kind == "documentation":
            continue
        if token.text == ":":
            return words[0].strip("`"), words[-1].strip("`")
        words.append(token.text)
    fail(f"line {part[0].line}: a parameter has no type")


def modifiers(found, index):
    """Returns the modifiers before the keyword at `index`, and the index where they and the attributes begin."""
    words = []
    while index > 0:
        previous = found[index - 1]
        if previous.text in MODIFIERS:
            words.append(previous.text)
            index -= 1
        elif previous.kind == "word" and index > 1 and found[index - 2].text == "@":
            index -= 2
        elif previous.text == ")":
            opening = index - 1
            while closing(found, opening) != index - 1:
                opening -= 1
            if found[opening - 1].text in MODIFIERS:
                # nonisolated(nonsending), private(set)
                index = opening
            elif opening > 1 and found[opening - 2].text == "@":
                index = opening - 2
            else:
                break
        else:
            break
    return words, index


def documentation(found, index):
    """Returns the documentation comment that ends before the token at `index`, without its slashes."""
    lines = []
    while index > 0 and found[index - 1].kind == "documentation":
        index -= 1
        lines.insert(0, found[index].text.removeprefix("///").removeprefix(" "))
    return lines


def is_keyword(found, index):
    """Returns false for the same word in another place: `self.init(…)`, `T: class`, `import struct M.T`."""
    token, previous = found[index], found[index - 1].text if index else ""
    if token.kind != "word" or previous in (".", ":", "import") or index + 1 == len(found):
        return False
    following = found[index + 1]
    if token.text in ("init", "subscript"):
        return following.text in ("(", "<", "?")
    if token.text == "class" and following.text in MODIFIERS | {"func", "var", "let"}:
        return False
    if token.text == "func":
        return following.kind in ("word", "sign", "operator")
    return following.kind == "word" or token.text == "extension" and following.text == "["


class File:
    """The types and functions that a file declares."""

    def __init__(self, path):
        self.path = path
        self.found = tokens(path.read_text())
        self.types = {}  # full name, and whether the declaration is public
        self.properties = set()  # full names of public properties
        self.protocols = set()  # full names of protocols
        self.functions = []  # full name of the type, whether the declaration is public, and the Function
        self.walk(0, len(self.found), (), False)

    def walk(self, index, end, scope, inherits):
        """Reads the declarations between two tokens; with `inherits`, members are public without saying so."""
        while index < end:
            token = self.found[index]
            if token.text in TYPES and is_keyword(self.found, index):
                index = self.type(index, scope, inherits)
            elif token.text in FUNCTIONS and is_keyword(self.found, index):
                index = self.function(index, scope, inherits)
            elif token.text in ("var", "let") and is_keyword(self.found, index):
                before = index - 1
                while self.found[before].text in MODIFIERS | {"(", "set", ")"}:
                    before -= 1
                if "public" in [word.text for word in self.found[before + 1:index]]:
                    self.properties.add((*scope, self.found[index + 1].text.strip("`")))
                index += 1
            elif token.text == "{" and token.kind == "sign":
                # A body or a closure: nothing in it is public.
                index = closing(self.found, index) + 1
            else:
                index += 1

    def type(self, index, scope, inherits):
        """Reads a type or an extension, and returns the index after it."""
        words, _ = modifiers(self.found, index)
        keyword, name, place = self.found[index].text, [], index + 1
        while self.found[place].kind == "word" or self.found[place].text == ".":
            if self.found[place].text == "where":
                break
            name += [self.found[place].text.strip("`")] if self.found[place].kind == "word" else []
            place += 1
        while self.found[place].text != "{":
            place = closing(self.found, place) + 1 if self.found[place].text == "(" else place + 1
        full = (*scope, *name)
        public = "public" in words or "open" in words
        if keyword != "extension":
            self.types[full] = public or inherits
        if keyword == "protocol":
            self.protocols.add(full)
        after = closing(self.found, place)
        self.walk(place + 1, after, full, public if keyword == "extension" else keyword == "protocol")
        return after + 1

    def function(self, index, scope, inherits):
        """Reads a function's signature, and returns the index after its parameters."""
        words, first = modifiers(self.found, index)
        keyword, place = self.found[index], index + 1
        name = keyword.text
        if keyword.text == "func":
            name = ""
            while not name or self.found[place].text not in "(<":
                name += self.found[place].text.strip(" `")
                place += 1
        while self.found[place].text != "(":
            place += 1
        after = closing(self.found, place)
        parts = [names(part) for part in separated(self.found[place + 1:after])]
        # An operator's and a subscript's parameters have no label unless it is written.
        unlabelled = keyword.text == "subscript" or not name.isidentifier()
        labels = "".join("_:" if unlabelled and label == inner else f"{label}:" for label, inner in parts)
        restricted = {"package", "internal", "fileprivate", "private"} & set(words)
        public = "public" in words or "open" in words or inherits and not restricted
        self.functions.append((scope, public, Function(
            self.path, keyword.line, ".".join((*scope, f"{name}({labels})")), [name for _, name in parts],
            documentation(self.found, first))))
        return after + 1


def requirements(files):
    """Returns the functions that protocols require and describe the parameters of, without their protocols' names."""
    return {function.name.removeprefix(".".join((*scope, ""))) for file in files
            for scope, _, function in file.functions if scope in file.protocols and entries(function.documentation)[0]}


def public_functions(files, required):
    """Returns the public functions of a module, without those of types that are not public."""
    types, properties = {}, set().union(*(file.properties for file in files))
    protocols = set().union(*(file.protocols for file in files))
    for file in files:
        for name, public in file.types.items():
            types[name] = types.get(name, False) or public

    def is_visible(scope):
        # A type that is extended and not declared here is another module's, and public there.
        return all(types.get(scope[:length], True) for length in range(1, len(scope) + 1))

    def is_described(scope, function):
        if ".init(" in function.name and all((*scope, name) in properties for name in function.parameters):
            return True
        return scope not in protocols and function.name.removeprefix(".".join((*scope, ""))) in required

    return [function._replace(is_described=is_described(scope, function))
            for file in files for scope, public, function in file.functions if public and is_visible(scope)]


def entries(lines):
    """Returns the names that a comment describes, and whether another section stands before one of them."""
    described, late, listing, ended = [], False, False, False
    for line in lines:
        single = re.match(r"- [Pp]arameter\s+`?(\w+)`?\s*:", line)
        item = re.match(r"\s+- `?(\w+)`?\s*:", line)
        if single or listing and item:
            described.append((single or item)[1])
            late |= ended
        elif re.match(r"- [Pp]arameters\s*:", line):
            listing, late = True, late | ended
        elif re.match(r"- (Returns|Throws)\s*:", line):
            listing, ended = False, True
        elif line and not line.startswith(" "):
            listing = False
    return described, late


def problems(function):
    """Returns the mistakes in a function's comment, one sentence each."""
    described, late = entries(function.documentation)
    if not described and (len(function.parameters) < MANY or function.is_described):
        return []
    wanted = [name for name in function.parameters if name != "_"]
    found = [f"{name} is not described" for name in wanted if name not in described]
    found += [f"{name} is no parameter" for name in described if name not in wanted]
    known = [name for name in described if name in wanted]
    if known != [name for name in wanted if name in known]:
        found.append("the entries are not in the order of the signature")
    if late:
        found.append("a parameter is described after - Returns or - Throws")
    return found


def main(arguments):
    if arguments not in ([], ["--list"]):
        sys.exit(__doc__)
    modules = [[File(path) for path in sorted((ROOT / "Sources" / module).rglob("*.swift"))] for module in MODULES]
    required = set().union(*map(requirements, modules))
    functions = [each for files in modules for each in public_functions(files, required)]
    if arguments:
        for function in functions:
            print(function.name, *function.parameters)
        return
    if len(functions) < FEWEST:
        fail(f"only {len(functions)} public functions were found")
    count = 0
    for function in functions:
        for problem in problems(function):
            print(f"{function.path.relative_to(ROOT)}:{function.line}: {function.name}: {problem}")
            count += 1
    if count:
        fail(f"mistakes in the documentation of parameters: {count}")
    print(f"parameters: {len(functions)} public functions, no mistake")


if __name__ == "__main__":
    main(sys.argv[1:])
