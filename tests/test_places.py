"""Tests stand in the folder of the room that they test, under names of their own."""

import re
from collections import Counter

import pytest

from support import ROOT

CODE, TESTS = ROOT / "cli" / "codeh_history", ROOT / "tests"
ROOMS = sorted(path.name for path in CODE.iterdir() if (path / "__init__.py").exists())


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_has_its_folder_of_tests(room):
    imports_it = re.compile(rf"^ *(?:from|import) codeh_history(?:\.| import .*\b){room}\b", re.MULTILINE)
    assert any(imports_it.search(path.read_text()) for path in (TESTS / room).rglob("test_*.py"))


def test_no_two_test_files_have_the_same_name():
    """They could not be collected together."""
    names = Counter(path.name for path in TESTS.rglob("test_*.py"))
    assert not [name for name, count in names.items() if count > 1]


def test_shared_test_code_is_a_helper():
    """No test file imports another."""
    takes = re.compile(r"^ *(?:from|import) (?:.*[ ,.])?(test_\w+)", re.MULTILINE)
    taken = [(path.stem, name) for path in TESTS.rglob("*.py") for name in takes.findall(path.read_text())]
    assert not [pair for pair in taken if pair[0] != pair[1]]
