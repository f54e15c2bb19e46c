"""Tests stand in the folder of the room that they test, under names of their own."""

import ast
import re
from collections import Counter

import pytest

from support import ROOT

CODE, TESTS = ROOT / "cli" / "codeh_history", ROOT / "tests"
ROOMS = sorted(path.name for path in CODE.iterdir() if (path / "__init__.py").exists())

_TAKES = re.compile(r"^ *(?:from|import) .*test_", re.MULTILINE)


def imported(path):
    """The modules that a file of Python imports, in functions too, by their dotted names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_has_its_folder_of_tests(room):
    modules = {name for path in (TESTS / room).rglob("test_*.py") for name in imported(path)}
    golden = room == "commands" and any((TESTS / "cases").iterdir())
    assert golden or any(name.startswith(f"codeh_history.{room}") for name in modules)


def test_no_two_test_files_have_the_same_name():
    """They could not be collected together."""
    names = Counter(path.name for path in TESTS.rglob("test_*.py"))
    assert not [name for name, count in names.items() if count > 1]


def test_shared_test_code_is_a_helper():
    """No test file imports another."""
    taken = [
        (str(path), name)
        for path in TESTS.rglob("*.py")
        if _TAKES.search(path.read_text())
        for name in imported(path)
        if name.rpartition(".")[2].startswith("test_")
    ]
    assert not taken
