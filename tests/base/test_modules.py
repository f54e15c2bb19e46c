"""Files of the package are found wherever it is, in a zip file too."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inside import lay
from support import ROOT, environ

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
