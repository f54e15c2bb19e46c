"""Tests stand in the folder of the room that they test, under names of their own; no module needs one that needs it."""

import re
from collections import Counter
from graphlib import CycleError, TopologicalSorter

import grimp
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


def test_no_module_needs_itself_by_way_of_others():
    """Not in a function, not for a type, nor as the package that it stands in."""
    graph = grimp.build_graph("codeh_history", cache_dir=None)
    needed = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    assert sum(map(len, needed.values())) > len(needed)  # the imports were found
    try:
        TopologicalSorter(needed).prepare()
    except CycleError as error:
        raise AssertionError(" → ".join(reversed(error.args[1]))) from None
