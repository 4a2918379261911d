"""The tests that ran in `swift test --xunit-output NAME.xml | tee NAME.log`, for the scripts beside this file.

The root package's tests are named `tests`; those of an example's package are named after the stage that runs them.

Swift Testing writes its tests to NAME-swift-testing.xml, under the names of their functions (the log has their
titles). XCTest is only in the log, unless tests run in parallel.
"""
import pathlib
import re
import typing
import xml.etree.ElementTree as ElementTree


class Test(typing.NamedTuple):
    library: str  # "swift-testing" or "xctest"
    target: str  # empty for XCTest, whose log does not say
    path: tuple  # names of the suites, then of the function without its parentheses
    outcome: str  # "passed", "skipped" or "failed"


def swift_testing(folder, name):
    """The tests of Swift Testing; fails when the file and the log's last line disagree."""
    root = ElementTree.parse(folder / f"{name}-swift-testing.xml").getroot()
    tests = []
    for case in root.iter("testcase"):
        target, *suites = case.get("classname").split(".")
        if case.find("failure") is not None:
            outcome = "failed"
        else:
            outcome = "passed" if case.find("skipped") is None else "skipped"
        function = case.get("name").partition("(")[0].strip("`")
        tests.append(Test("swift-testing", target, (*suites, function), outcome))
    text = (folder / f"{name}.log").read_text(errors="replace")
    totals = [int(number) for number in re.findall(r"Test run with (\d+) tests? ", text)]
    if totals != [len(tests)]:
        raise SystemExit(f"the log counts {totals} Swift Testing tests, the file {len(tests)}")
    return tests


def xctest(folder):
    """The tests of XCTest; fails when the log's lines and its total disagree."""
    text = (folder / "tests.log").read_text(errors="replace")
    lines = re.findall(r"Test Case '([\w.]+)' (passed|failed|skipped) \(", text)
    total = max((int(number) for number in re.findall(r"Executed (\d+) tests?,", text)), default=0)
    if total != len(lines):
        raise SystemExit(f"the log counts {total} XCTest tests and shows {len(lines)}")
    return [Test("xctest", "", tuple(name.split(".")), outcome) for name, outcome in lines]


def read(folder):
    """The root package's tests."""
    folder = pathlib.Path(folder)
    return swift_testing(folder, "tests") + xctest(folder)


def read_package(folder, stage):
    """The tests of the package that a stage runs, or nothing when that stage has not run."""
    folder = pathlib.Path(folder)
    return swift_testing(folder, stage) if (folder / f"{stage}.log").exists() else []
