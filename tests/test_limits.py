"""A limit that a test must reach is an argument or a field: no test changes a constant of the program."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from support import ROOT

_CONSTANT = re.compile(r"(?:.*\.)?_?[A-Z][A-Z0-9_]+")
_MAY = re.compile(
    r"(?:attr|item)\(|mock|defaults__|\bdel |\._?[A-Z][A-Z0-9_]+(?:\[.*\])? [-+|]?= "
)  # seen fast
_OF_NAMES = {"setattr", "delattr", "object", "patch", "multiple"}
_OF_ITEMS = {"setitem", "delitem", "dict"}


def changed(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where a constant of a module, a default of a function or a number of a class gets another value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            found = any(_is_constant(target) for target in targets if not isinstance(target, ast.Name))
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
            given = node.args[: (name in _OF_NAMES) * 2 or name in _OF_ITEMS]
            named = [ast.Constant(word.arg) for word in node.keywords] if name == "multiple" else []
            found = any(map(_is_constant, [*given, *named]))
            found = found or (name == "setattr" and isinstance(_value(node.args[-1]), int | float))
        else:
            continue
        if found:
            yield node.lineno, ast.unparse(node)


def _is_constant(place: ast.expr) -> bool:
    """Whether this names a constant of something, or what is in one."""
    if isinstance(place, ast.Subscript):
        return _is_constant(place.value)
    if isinstance(place, ast.Attribute):
        return place.attr in {"__kwdefaults__", "__defaults__"} or bool(_CONSTANT.fullmatch(place.attr))
    return isinstance(name := _value(place), str) and bool(_CONSTANT.fullmatch(name))


def _value(place: ast.expr) -> object:
    """What stands there in so many words, no truth among it."""
    try:
        value = ast.literal_eval(place)
    except ValueError:
        return None
    return None if isinstance(value, bool) else value


def test_no_constant_of_the_program_is_changed() -> None:
    """Those in `bench` measure the program as it is, from inside."""
    texts = {path: path.read_text() for path in (ROOT / "tests").rglob("*.py") if "bench" not in path.parts}
    may = [path for path, text in texts.items() if _MAY.search(text)]
    assert len(may) > 30
    assert not [(path, place) for path in may for place in changed(ast.parse(texts[path]))]


@pytest.mark.parametrize("patch", [
    'monkeypatch.setattr(log, "LONGEST", 7)', 'setattr(log, "_STEP", x)', "log.LONGEST = 7", "log.TRIES += 1",
    'monkeypatch.setattr("codeh_history.tokens.vocabulary.PACKAGE", "x")', "log.KINDS['a'] = 7", "del log.X1",
    'monkeypatch.setitem(vocabulary._ENCODINGS, "o200k_base", x)', 'mock.patch.object(log, "LONGEST", 7)',
    'monkeypatch.setitem(log.append.__kwdefaults__, "wait", 0.0)', "mock.patch.multiple(log, LONGEST=7)",
    'monkeypatch.setattr(Streaming, "flush_seconds", 0.1)', 'monkeypatch.setattr(Streaming, "seconds", -1)',
    'monkeypatch.delattr(log, "LONGEST")', "mock.patch.dict(log._KINDS, a=7)",
])  # fmt: skip
def test_a_constant_that_is_changed_is_found(patch: str) -> None:
    assert [line for line, _ in changed(ast.parse(patch))] == [1]
    assert _MAY.search(patch)


@pytest.mark.parametrize("patch", [
    'monkeypatch.setattr(os, "fork", none)', 'monkeypatch.setattr(log, "append", partial(append, longest=9))',
    "monkeypatch.setitem(sys.modules, vocabulary.PACKAGE, None)", 'monkeypatch.setenv("TZ", "UTC")', "MOST = 7",
    'monkeypatch.setattr(Log, "refers", True)', "stream.flush_seconds = 60",
])  # fmt: skip
def test_the_outside_world_may_be_another_one(patch: str) -> None:
    assert not list(changed(ast.parse(patch)))
