"""Makes the DocC catalog from the documents, and checks the site that comes of it.

usage: site.py api GRAPHS FOLDER         writes each module's public declarations to FOLDER; GRAPHS are the symbol graphs
       site.py catalog GRAPHS CATALOG
       site.py check LOG SITE            LOG is the output of docc
"""

import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = [
    "AuthStateKit", "AuthStateProviders", "AuthStateApp", "AuthStateServer", "AuthStateResource", "AuthStateReport",
    "AuthStatePostgres", "AuthStateSQLite", "AuthStateTesting", "AuthStateOAuth", "AuthStateUserAgent", "AuthStateStorage", "AuthStateTransport", "AuthStateSystem", "AuthStateJOSE",
]

# The shelves of the front page. Every document is on one of them.
SHELVES = {
    "Start here": ["GettingStarted", "Testing", "Troubleshooting", "Migrating"],
    "By the kind of program": ["ServerSide", "ApplePlatforms", "ProtectedResources", "AgentHosts", "Grants"],
    "One task a page": ["Clients", "LoggingOut", "SecureRequests"],
    "Reference": ["CommandLine", "Options", "Reliability", "Security", "Conformance"],
    "Background": ["Architecture", "Benchmarks", "Changelog"],
}


def api(graphs, folder):
    """A line for each public declaration and conformance, so that a change of the API is a change of these files."""
    for module in MODULES:
        # With what the module adds to types of others.
        files = [pathlib.Path(graphs, f"{module}.symbols.json"), *pathlib.Path(graphs).glob(f"{module}@*.symbols.json")]
        parts = [json.loads(path.read_text()) for path in files]
        graph = {key: [entry for part in parts for entry in part[key]] for key in ("symbols", "relationships")}
        names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in graph["symbols"]}
        lines = set()
        for symbol in graph["symbols"]:
            declaration = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
            owner = ".".join(symbol["pathComponents"][:-1])
            lines.add(f"{owner}: {declaration}" if owner else declaration)
        for relation in graph["relationships"]:
            if relation["kind"] == "conformsTo" and relation["source"] in names:
                protocol = names.get(relation["target"], relation.get("targetFallback", "")).removeprefix("Swift.")
                # A conformance that the compiler derives from another one says nothing new.
                if protocol not in ("Copyable", "Escapable", "SendableMetatype"):
                    lines.add(f"{names[relation['source']]} conforms to {protocol}")
        text = "".join(" ".join(line.split()) + "\n" for line in sorted(lines))
        pathlib.Path(folder, f"{module}.txt").write_text(text)


def fail(message):
    sys.exit(f"site: {message}")


def headings(text):
    """The headings outside code, as GitHub's anchor and as DocC's."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    found = {}
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.M):
        plain = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading).strip()
        github = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found[github] = re.sub(r"\s+", "-", plain)
    return found


def article(path, documents):
    """A document for DocC: links lead to its pages, notes for the tests are left out."""
    text = re.sub(r"^<!-- .*? -->\n", "", path.read_text(), flags=re.M | re.S)
    drawing = f"*(A drawing: see Docs/{path.name} where the repository is hosted.)*"
    text = re.sub(r"```mermaid\n.*?```", drawing, text, flags=re.S)

    def link(match):
        words, target = match[1], match[2]
        name, _, fragment = target.partition("#")
        if target.startswith(("https://", "http://", "mailto:")):
            return match[0]
        stem = pathlib.PurePath(name).stem if name else path.stem
        if name and (name != f"{stem}.md" or stem not in documents):
            # A file of the repository, which the site does not have.
            return words
        anchor = headings(documents[stem].read_text()).get(fragment) if fragment else None
        return f"[{words}](doc:{stem}{'#' + anchor if anchor else ''})"

    # Not in code, unless code is the text of the link.
    parts = re.split(r"(```.*?```)", text, flags=re.S)
    link_pattern = r"(?<!!)\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s]+)\)"
    return "".join(part if i % 2 else re.sub(link_pattern, link, part) for i, part in enumerate(parts))


def catalog(graphs, folder):
    folder = pathlib.Path(folder)
    folder.mkdir()
    documents = {path.stem: path for path in sorted((ROOT / "Docs").glob("*.md"))}
    shelved = sorted(name for shelf in SHELVES.values() for name in shelf)
    if shelved != sorted(documents):
        fail(f"not on one shelf: {sorted(set(shelved) ^ set(documents))}")
    for name, path in documents.items():
        # DocC finds images by their name alone.
        (folder / f"{name}.md").write_text(article(path, documents).replace("](Images/", "]("))
    for image in (ROOT / "Docs/Images").iterdir():
        (folder / image.name).write_bytes(image.read_bytes())
    for module in MODULES:
        text = (ROOT / f"Sources/{module}/{module}.docc/{module}.md").read_text()
        graph = json.loads(pathlib.Path(graphs, f"{module}.symbols.json").read_text())
        types = {symbol["pathComponents"][0] for symbol in graph["symbols"] if len(symbol["pathComponents"]) == 1}
        curated = re.findall(r"^- ``(\w+)``$", text, flags=re.M)
        if sorted(curated) != sorted(types):
            fail(f"{module}.md does not list each type once: {sorted(set(curated) ^ types) or curated}")
        if module == "AuthStateKit":
            shelves = "".join(
                f"### {shelf}\n\n" + "".join(f"- <doc:{name}>\n" for name in names) + "\n"
                for shelf, names in SHELVES.items()
            )
            others = "".join(f"- [{other}](/documentation/{other.lower()})\n" for other in MODULES[1:])
            text = text.replace("## Topics\n\n", f"The other modules:\n\n{others}\n## Topics\n\n{shelves}", 1)
        (folder / f"{module}.md").write_text(text)


def references(value):
    """The addresses of all links in a page's data."""
    if isinstance(value, dict):
        if isinstance(value.get("url"), str):
            yield value["url"]
        for child in value.values():
            yield from references(child)
    elif isinstance(value, list):
        for child in value:
            yield from references(child)


def check(log, site):
    problems = [line for line in pathlib.Path(log).read_text().splitlines() if re.match(r"(warning|error):", line)]
    if problems:
        fail("\n".join(problems))
    site = pathlib.Path(site)
    pages = {path.relative_to(site / "data").with_suffix("").as_posix(): path for path in site.glob("data/**/*.json")}
    links = dead = 0
    for name, path in pages.items():
        for url in set(references(json.loads(path.read_text()))):
            if url.startswith("/documentation"):
                links += 1
                if url.partition("#")[0].strip("/") not in pages:
                    dead += 1
                    print(f"{name}: {url} leads nowhere")
    if dead or links < 1000:
        fail(f"{dead} of {links} links lead nowhere")
    front = json.loads(pages["documentation/authstatekit"].read_text())
    near = set(references(front))
    missing = [name for shelf in SHELVES.values() for name in shelf
               if f"/documentation/authstatekit/{name.lower()}" not in near]
    missing += [module for module in MODULES[1:] if f"/documentation/{module.lower()}" not in near]
    if missing:
        fail(f"the front page does not lead to {missing}")
    print(f"{len(pages)} pages, {links} links")
    browse(site)


def browse(site):
    """Opens the front page and the documents in Chromium, and compares what a reader sees with the titles."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        if os.environ.get("AUTHSTATE_REQUIRE_PROVIDERS"):
            fail("Chromium is not installed")
        return print("Chromium is not installed: no page was opened.")
    handler = functools.partial(Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    names = ["", *(f"/{name.lower()}" for shelf in SHELVES.values() for name in shelf)]
    for name in names:
        url = f"http://127.0.0.1:{server.server_port}/documentation/authstatekit{name}/"
        data = json.loads((site / f"data/documentation/authstatekit{name}.json").read_text())
        seen = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom", url],
            capture_output=True, text=True, timeout=60, check=True,
        ).stdout
        title = data["metadata"]["title"]
        if not re.search(r"<h1[^>]*>(?:<[^>]*>|\s)*" + re.escape(title[:20]), re.sub(r"<wbr[^>]*>", "", seen)):
            fail(f"{url} does not show {title}")
    server.shutdown()
    print(f"{len(names)} pages opened in Chromium")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


if __name__ == "__main__":
    command, *arguments = sys.argv[1:] or [""]
    if command == "api" and len(arguments) == 2:
        api(*arguments)
    elif command == "catalog" and len(arguments) == 2:
        catalog(*arguments)
    elif command == "check" and len(arguments) == 2:
        check(*arguments)
    else:
        sys.exit(__doc__)
