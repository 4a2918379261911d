#!/usr/bin/python3
"""Draws the figures of Docs/Benchmarks.md, and compares the drawings with those in Docs/Images.

usage: Tests/Benchmarks/plots.py             fails when a drawing in Docs/Images is not what the tables give
       Tests/Benchmarks/plots.py --accept    writes the drawings
"""
import html
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "bytes": 1, "MB": 1e6, "KB": 1e3}
NUMBER = r"(-?[\d.,]+)\s*(ns|µs|ms|s|bytes|MB|KB)?\b"
WIDTH = 400
SHORT = {
    "refresh(), the provider in memory": "refresh()",
    "one durable UPDATE of the archive, by pgbench": "one durable update",
}

STYLE = """
svg{font:11px system-ui,-apple-system,"Segoe UI",sans-serif;--page:#fff;--text:#1c2024;--quiet:#5b636d;--line:#d5d9df;--band:#eef4fb;
--own:#1f6feb;--other:#8a6d00;--miss:#c8321f}
@media (prefers-color-scheme:dark){svg{--page:#15181d;--text:#e8ebef;--quiet:#a3abb6;--line:#3a414b;--band:#1b2634;--own:#6aa7ff;
--other:#d9b44a;--miss:#ff8672}}
text{fill:var(--text)}.q{fill:var(--quiet)}.h{font-weight:600;font-size:12px}.t{font-weight:600;font-size:14px}.e{text-anchor:end}
.m{text-anchor:middle}.page{fill:var(--page)}.band{fill:var(--band)}.line{stroke:var(--line)}.goal{stroke:var(--quiet);stroke-width:1.5}
.own{stroke:var(--own);fill:var(--own)}.other{stroke:var(--other);fill:var(--other)}.miss{stroke:var(--miss);fill:var(--miss)}
text{paint-order:stroke;stroke:var(--page);stroke-width:0}text.own,text.other{stroke:var(--page);stroke-width:3}text.miss{stroke:none}path.own,path.other{fill:none;stroke-width:2}path.other{stroke-dasharray:5 3}
""".replace("\n", "")


def tables(text):
    """Each table as a list of dictionaries, with the section that it is in."""
    section, rows = "", []
    for line in text.split("\n") + [""]:
        if line.startswith("## "):
            section = line[3:]
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            names, body = rows[0], rows[2:]
            yield section, [dict(zip(["name"] + names[1:], row)) for row in body]
            rows = []


def numbers(text):
    """The values of a cell in seconds, bytes, or without a unit."""
    return [float(n.replace(",", "").rstrip(".")) * UNITS.get(unit, 1) for n, unit in re.findall(NUMBER, text)]


def shares(text):
    """For each goal: section, name, share of what it allows, its bounds, whether it is met, and figure and goal as written."""
    for section, rows in tables(text):
        peer = None
        for row in rows:
            goal = row.get("goal", "")
            cells = [value for name, value in row.items() if name not in ("name", "goal", "tasks", "processors idle", "number")]
            if cells and row.get("tasks") and cells[-1] == "1":
                peer = numbers(cells[0])[0]
            if not goal:
                continue
            limit = numbers(goal)[0]
            ratio = next((value for name, value in row.items() if name.startswith("ratio to")), "")
            has_unit = re.search(NUMBER, goal)[2] is not None
            if "more" in goal:
                before, cell = numbers(row["without the bridge"])[0], row["with it"]
                values, figure = [n - before for n in numbers(cell)], f"+{numbers(cell)[0] * 1e3 - before * 1e3:.2f} ms"
            else:
                cell = row["with it"] if "with it" in row else cells[-2] if "in all" in row else cells[0] if has_unit else ratio
                values, figure = numbers(cell), cell.split(" (")[0]
                if "the peer" in goal:
                    values = [values[0] - peer]
                    figure = f"+{values[0] * 1e3:.1f} ms"
            found = [n / limit if "≤" in goal else limit / n for n in values]
            words = re.sub(r" (met|missed|more)|the peer (?=\+)|\.0(?= )", "", goal).replace("+ ", "+")
            tasks = int(row.get("tasks") or 1)
            name = SHORT.get(row["name"], row["name"]) + (f", {tasks} tasks" if tasks > 1 else "")
            yield section, name, found[0], sorted(found), "missed" not in goal, f"{figure} {words}"


def element(name, content=None, **attributes):
    text = "".join(f' {key.rstrip("_").replace("_", "-")}="{value}"' for key, value in attributes.items())
    return f"<{name}{text}/>" if content is None else f"<{name}{text}>{content}</{name}>"


def text(x, y, words, kind=""):
    return element("text", html.escape(words), x=f"{x:g}", y=f"{y:g}", **({"class_": kind} if kind else {}))


def line(x1, y1, x2, y2, kind):
    return element("line", x1=f"{x1:g}", y1=f"{y1:g}", x2=f"{x2:g}", y2=f"{y2:g}", class_=kind)


def picture(title, height, parts):
    page = element("rect", width=WIDTH, height=height, rx=8, class_="page")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH * 1.3:g}" height="{height * 1.3:g}" '
        f'role="img">\n<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n{page}\n' + "\n".join(parts) + "\n</svg>\n"
    )


def goals(document):
    """A row for each goal: how much of what it allows is used."""
    left, right, low, high = 178, 290, 0.25, 2.5

    def place(share):
        share = min(max(share, low), high)
        return left + (right - left) * math.log(share / low) / math.log(high / low)

    rows, y, section = [], 74, None
    for name, words, share, bounds, is_met, figure in shares(document):
        if name != section:
            y += 22
            rows.append(text(10, y, name, "h"))
            section = name
        y += 17
        kind, middle, x = "own" if is_met else "miss", y - 4, place(share)
        rows.append(text(10, y, words if len(words) <= 28 else words[:27].rstrip(" ,") + "…", "q"))
        rows.append(line(left, middle, right, middle, "line"))
        if bounds[0] != bounds[-1]:
            rows.append(line(place(bounds[0]), middle, place(bounds[-1]), middle, kind))
        if share < low:
            rows.append(element("path", d=f"M{left + 8} {middle - 4}L{left} {middle}L{left + 8} {middle + 4}", class_="own"))
        elif is_met:
            rows.append(element("circle", cx=f"{x:.1f}", cy=middle, r=4, class_=kind))
        else:
            rows.append(element("path", d=f"M{x:.1f} {middle - 5}l5 5l-5 5l-5 -5z", class_=kind))
        rows.append(text(WIDTH - 8, y, figure, "e" if is_met else "e miss"))
    bottom = y + 12
    head = [
        text(10, 24, "How much of each goal is used", "t"),
        text(10, 41, "Left of the line a goal is met; a diamond misses it.", "q"),
        text(10, 56, "On the right: the figure, and the goal.", "q"),
        element("rect", x=left, y=78, width=f"{place(1) - left:.1f}", height=bottom - 78, class_="band"),
        line(place(1), 78, place(1), bottom, "goal"),
    ]
    scale = [(0.25, "¼"), (0.5, "½"), (1, "goal"), (2, "2×")]
    head += [text(place(share), 73, words, "q m") for share, words in scale]
    foot = [text(place(share), bottom + 14, words, "q m") for share, words in scale]
    return picture("How much of each goal is used", bottom + 24, head + rows + foot)


# Section, this library's row, and the one beside it.
PANELS = [
    ("Reading a fresh token", "freshTokens()", "Go's Token()"),
    ("HTTP", "SystemTransport", "async-http-client"),
    ("HTTPS", "SystemTransport", "async-http-client"),
    ("Many users", "freshTokens(for:)", "a dictionary under a mutex"),
    ("Renewals through PostgreSQL", "refresh(), the provider in memory", "one durable UPDATE of the archive, by pgbench"),
]


def costs(document, section, name):
    """The time of one call in seconds, by the number of tasks."""
    found = {}
    for place, rows in tables(document):
        for row in rows:
            cost = row.get("time per call") or row.get("calls per second")
            if place == section and row["name"] == name and cost:
                value = numbers(cost)[0]
                found[int(row["tasks"])] = value if "time per call" in row else 1 / value
    return found


def duration(seconds):
    unit = next(unit for unit in ("s", "ms", "µs", "ns") if seconds >= UNITS[unit])
    return f"{seconds / UNITS[unit]:.3g} {unit}"


def tasks(document):
    """A panel for each contender that was measured with several numbers of tasks."""
    parts = [
        text(10, 24, "The time of one call, by the number of tasks", "t"),
        text(10, 41, "The time that passes, divided by the calls of all tasks.", "q"),
        text(10, 56, "Two cores: it falls where tasks share the work.", "q"),
    ]
    width, height, top = 184, 122, 72
    for index, (section, own, other) in enumerate(PANELS):
        x0, y0 = 10 + (index % 2) * (width + 12), top + (index // 2) * (height + 74)
        series = [("other", other, costs(document, section, other)), ("own", own, costs(document, section, own))]
        counts = sorted(series[0][2])
        if len(counts) < 2 or any(sorted(values) != counts for _, _, values in series):
            sys.exit(f"{section}: no row of {own} beside each of {other}")
        most = max(max(values.values()) for _, _, values in series) * 1.15
        bottom = y0 + 42 + height
        parts.append(text(x0, y0 + 14, section, "h"))
        parts.append(text(x0, y0 + 28, f"● {SHORT.get(own, own)}", "own"))
        parts.append(text(x0, y0 + 41, f"○ {SHORT.get(other, other)}", "other"))
        parts.append(line(x0, bottom - 14, x0 + width, bottom - 14, "line"))

        def place(count, value):
            share = (math.log(count) - math.log(counts[0])) / (math.log(counts[-1]) - math.log(counts[0]))
            return x0 + 20 + share * (width - 40), bottom - 14 - value / most * (height - 28)

        for kind, _, values in series:
            points = [place(count, values[count]) for count in counts]
            parts.append(element("path", d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), class_=kind))
            for count, (x, y) in zip(counts, points):
                rival = max(other[count] for name, _, other in series if name != kind)
                above = values[count] >= rival
                fill = {} if kind == "own" else {"style": "fill:var(--page)"}
                parts.append(element("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=3.5, class_=kind, **fill))
                parts.append(text(round(x, 1), round(y + (-7 if above else 15), 1), duration(values[count]), f"m {kind}"))
        for count in counts:
            x = round(place(count, 0)[0], 1)
            is_last = count == counts[-1]
            parts.append(text(x0 + width if is_last else x, bottom, f"{count} tasks" if is_last else f"{count}", "q e" if is_last else "q m"))
    return picture("The time of one call, by the number of tasks", top + 3 * (height + 74) - 12, parts)


def main():
    document = (ROOT / "Docs/Benchmarks.md").read_text()
    drawings = {"benchmark-goals.svg": goals(document), "benchmark-tasks.svg": tasks(document)}
    others = []
    for name, drawing in drawings.items():
        path = ROOT / "Docs/Images" / name
        if "--accept" in sys.argv:
            path.write_text(drawing)
        elif not path.exists() or path.read_text() != drawing:
            others.append(name)
    if others:
        sys.exit(f"Docs/Images: not what the tables of Docs/Benchmarks.md give: {', '.join(others)}. Tests/Benchmarks/plots.py --accept")


main()
