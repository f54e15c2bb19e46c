"""A test stands where its module does: whoever changes a module finds its tests by its name."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from support import ROOT

CODE, TESTS = ROOT / "cli" / "codeh_history", ROOT / "tests"
ONE_THING = (
    "providers",
    "programs",
    "formats",
)  # a package in these is one provider, one program, one form
MANY_THINGS = ("programs", "forms")  # but for this
TABLES = {
    ("formats",): "export",
    ("filters", "curate"): "curate",
}  # exporters and passes → the verb that takes them

_TAKES = re.compile(r"^ *(?:from|import) .*test_", re.MULTILINE)
NOT_YET = {
    "adapters/events.py": "adapters/test_google_adk.py: it cannot be imported without the package",
}  # what has no tests of its own yet, and what shows its faults until then


@cache
def modules() -> list[str]:
    """The modules that have functions of their own, protocols aside."""
    found = (
        path for path in sorted(CODE.rglob("*.py")) if any(map(_works, ast.parse(path.read_text()).body))
    )
    return [str(path.relative_to(CODE)) for path in found]


def _works(node: ast.stmt) -> bool:
    """Whether this is a function, or a class with one; not what only says what others must have."""
    if isinstance(node, ast.ClassDef):
        bases = {ast.unparse(base).partition("[")[0] for base in node.bases}
        return "Protocol" not in bases and any(map(_works, node.body))
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def places(module: str) -> list[str]:
    """Where its tests may stand, as patterns below `tests`: the first is the plainest."""
    *rooms, name = Path(module).with_suffix("").parts
    if name == "__init__":
        name = rooms[-1] if rooms else "session"
        names = [name.strip("_") + more for more in ("", "_package", "_laws")]
    else:
        names = [name.strip("_"), *([f"{rooms[-1].strip('_')}_{name.strip('_')}"] if rooms else [])]
    if len(rooms) > 1 and rooms[0] in ONE_THING and (rooms[0], rooms[1]) != MANY_THINGS:
        names += [rooms[1], f"{rooms[1].partition('_')[0]}_*"]
    folders = ["/".join(rooms[:depth]) for depth in range(len(rooms), max(len(rooms) - 2, 0), -1)] or ["."]
    return [f"{folder}/test_{each}.py" for folder in folders for each in names]


def is_golden(module: str) -> bool:
    """Whether golden cases show what it does: those of a verb, or of the verb that an exporter or pass is for."""
    *rooms, name = Path(module).with_suffix("").parts
    if rooms == ["commands"] or (rooms[:1] == ["commands"] and name == "__init__" and len(rooms) == 2):
        verb = (rooms[-1] if name == "__init__" else name).strip("_")
        return (TESTS / "cases" / verb).is_dir()
    verb = TABLES.get(tuple(rooms), "")
    return bool(verb) and name.replace("_", "-") in asked(verb)


@cache
def asked(verb: str) -> set[str]:
    """The words of all command lines in the golden cases of a verb."""
    texts = (path.read_text(errors="replace") for path in (TESTS / "cases" / verb).glob("*/cmd"))
    lines = (line for text in texts for line in text.splitlines() if not line.startswith("#"))
    return {word for line in lines for word in re.split(r"[^\w-]+", line)}


@pytest.mark.parametrize("module", modules())
def test_a_test_stands_where_its_module_does(module: str) -> None:
    there = [str(found.relative_to(TESTS)) for place in places(module) for found in TESTS.glob(place)]
    if module in NOT_YET:
        assert not there, f"{module} has its tests: it goes from NOT_YET"
    else:
        assert there or is_golden(module), f"{module}: tests/{places(module)[0]} is missing"


def test_what_has_no_tests_of_its_own_yet_is_there() -> None:
    assert NOT_YET.keys() <= set(modules())
    assert not [module for module in NOT_YET if is_golden(module)]


def test_no_two_files_of_tests_have_one_name() -> None:
    """They could not be collected together."""
    names = Counter(path.name for path in TESTS.rglob("test_*.py"))
    assert not [name for name, count in names.items() if count > 1]


def test_what_several_tests_use_is_a_helper() -> None:
    """No file of tests takes anything from another."""
    texts = {path: text for path in TESTS.rglob("*.py") if _TAKES.search(text := path.read_text())}
    found = [
        (path, name) for path, text in texts.items() for node in ast.walk(ast.parse(text))
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom)
                     else [each.name for each in node.names] if isinstance(node, ast.Import) else [])
        if name.rpartition(".")[2].startswith("test_")
    ]  # fmt: skip
    assert not found
