"""Fields, patterns, modules and files of the package: they work as usual, and load in no time."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from codeh_history.base.lazy import Fields, Pattern
from inside import lay
from support import ROOT, environ


class Some(Fields):
    a: int = 1
    b: str = "x"


def test_what_is_not_given_is_as_the_class_says() -> None:
    assert (Some().a, Some(a=2).a, Some(a=2).b) == (1, 2, "x")


def test_one_that_is_otherwise_leaves_the_first_as_it_was() -> None:
    first = Some(a=2)
    second = first.but(b="y")
    assert (type(second), second.a, second.b) == (Some, 2, "y")
    assert (first.b, first.but(a=3).a, first.a) == ("x", 3, 2)


@pytest.mark.parametrize("text", ["a+b", "", r"(?i)A(\d)", "^x", "ü"])
@pytest.mark.parametrize("subject", ["xaab", "A7", "", "üx\nx"])
def test_it_finds_what_the_compiled_one_finds(text: str, subject: str) -> None:
    pattern, compiled = Pattern(text), re.compile(text)
    for _ in range(2):  # the second time it is not looked up again
        for method in ("search", "match", "fullmatch"):
            found, right = getattr(pattern, method)(subject), getattr(compiled, method)(subject)
            assert (found and found.regs) == (right and right.regs)
        assert pattern.sub("-", subject) == compiled.sub("-", subject)
    assert pattern.flags == compiled.flags


def test_bytes_are_looked_through_by_a_pattern_of_bytes() -> None:
    assert Pattern(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_re_is_loaded_when_something_is_first_looked_for() -> None:
    code = """if True:
        import sys
        from codeh_history.base.lazy import Pattern
        pattern = Pattern("a+")
        print("re" in sys.modules, bool(pattern.match("aa")), "re" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-ISc", f"import sys; sys.path[:0] = {sys.path!r}\n" + code],
                          capture_output=True, env=environ(), check=True)  # fmt: skip
    assert done.stdout.split() == [b"False", b"True", b"True"]


BEGUN = "import sys; sys.path[:0] = {path!r}; from codeh_history.main import program; program()"
TALK = (
    b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"Which harbour?"}]}\n'
    b'{"type":"message","id":"b","kind":"codeh","role":"model","parts":[{"text":"The old one."}],'
    b'"provider":"anthropic","model":"claude-opus-4-1","ts":"2026-01-02T03:04:05.000Z","usage":{"input":1000,"output":10}}\n'
)
SAID = {  # what reads a file of the package, or runs one
    "usage s": "claude-opus-4-1\t1\t1000\t",
    "search (a|e)+r": "s:1:user: Which harbour?",
    "compact s --budget 10k --counter approx": "Which harbour?",
    "export s --to html": "Which harbour?",
    "stats s": "tokens",
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("zip")
    shutil.copytree(
        ROOT / "cli", folder / "cli", ignore=shutil.ignore_patterns("__pycache__"), symlinks=True
    )
    return shutil.make_archive(str(folder / "package"), "zip", folder / "cli")


@pytest.mark.parametrize("line", SAID)
def test_2026_11_23_in_a_zip_file_it_does_all(line: str, package: str, home: Path) -> None:
    """`usage` did not find the prices, and patterns were said to take too much memory."""
    lay(home, TALK)
    path = [package, *(entry for entry in sys.path if entry != str(ROOT / "cli"))]
    done = subprocess.run(
        [sys.executable, "-Pc", BEGUN.format(path=path), *line.split()],
        check=False, capture_output=True, env=environ({"PYTHONPATH": ""}, home),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    assert SAID[line] in done.stdout.decode()


def test_the_package_of_these_tests_is_that_of_the_zip_file(package: str) -> None:
    code = f"import sys; sys.path[:0] = [{package!r}]; import codeh_history; print(codeh_history.__file__)"
    done = subprocess.run([sys.executable, "-PSc", code], check=True, capture_output=True, text=True)
    assert done.stdout.startswith(package)
