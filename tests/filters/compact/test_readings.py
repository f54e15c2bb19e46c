"""Texts read from what is remembered of them: the same lines, nothing kept of what they say."""

from __future__ import annotations

import ast
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codeh_history
from codeh_history.filters.compact.line import Line
from codeh_history.filters.compact.readings import RULES, TABLE, Readings, Text
from codeh_history.filters.compact.speech import typed
from codeh_history.tokens import memory
from length import examples

ROOT = Path(codeh_history.__file__).parent
SAID = st.lists(
    st.sampled_from((
        "Never touch main!", " ", "\n", "  ", "Anna: ", "Bob Stone: we decided to wait. ", "So that is decided.",
        "Does it scale? ", "Nobody knows yet.", "我们决定用它，因为更稳定。", "还没确定。", "import os", "ok", "TODO: later. ",
        "/tmp/a.png", "/theme", "{'a': [1, 2]};", "We use it because it works. ", "x" * 2001, "plain words ",
    ))
    | st.text(max_size=8),
    max_size=9,
).map("".join)  # fmt: skip
RATE = 0.3


def fields(lines: list[Line]) -> list[list[object]]:
    return [[getattr(line, name) for name in Line.__slots__] for line in lines]


def read(cache: str, text: Text) -> list[Line]:
    readings = Readings(cache)
    readings.recall({(7, 0): text})
    found = readings.lines((7, 0), text, RATE)
    readings.remember()
    return found


@settings(max_examples=examples(60))
@given(said=st.lists(SAID, min_size=1, max_size=4), user=st.booleans())
def test_remembered_and_read_anew_are_the_same(said: list[str], *, user: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for again in said * 2:
            text = Text(again, user)
            anew = [*typed(again, 7, user=user, rate=RATE)]
            assert fields(read(f"{folder}/tokens.sqlite", text)) == fields(anew)


def test_what_is_known_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, text = str(tmp_path / "tokens.sqlite"), Text("Anna: Never touch main. It is large.", True)
    before = fields(read(cache, text))
    monkeypatch.delattr("codeh_history.filters.compact.speech.typed")
    assert fields(read(cache, text)) == before
    with pytest.raises(ImportError):
        read(cache, Text(text.said, False))  # the model's is another


def test_nothing_of_what_is_said_is_kept(tmp_path: Path) -> None:
    cache = str(tmp_path / "tokens.sqlite")
    read(cache, Text("Anna: Never touch zanzibar. Bert: It is decided.", True))
    kept = sqlite3.connect(cache).execute(f"select n from {TABLE}").fetchall()
    assert kept
    for word in ("Anna", "ever", "zanzibar", "decided"):
        assert word not in str(kept)
        assert word.encode() not in Path(cache).read_bytes()


def test_what_others_wrote_there_is_read_anew(tmp_path: Path) -> None:
    cache, text = str(tmp_path / "tokens.sqlite"), Text("Never touch main. It is large.", True)
    before = fields(read(cache, text))
    for odd in ("", "{", "[1]", "[[1]]", '[["a",2,3,4,5,6,7,8,9]]', "[[0,1,0,99,0,0,0,1.0,false]]"):
        with sqlite3.connect(cache) as db:
            db.execute(f"update {TABLE} set n = ?", (odd,))
        assert fields(read(cache, text)) == before


def test_all_rules_are_in_the_key() -> None:
    """What says how a text is read is all that `speech` imports from this package."""
    found, left = set[str](), ["filters/compact/speech.py"]
    while left:
        file = left.pop()
        found.add(file)
        for node in ast.walk(ast.parse((ROOT / file).read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                folder = (ROOT / file).parents[node.level - 1] / (node.module or "").replace(".", "/")
                names = [folder.with_suffix(".py"), *(folder / f"{alias.name}.py" for alias in node.names)]
                left += {str(path.relative_to(ROOT)) for path in names if path.is_file()} - found
    assert found - {"summaries/terse.py"} == {*RULES} - {"filters/compact/readings.py"}  # terse comes after


def test_other_rules_find_nothing() -> None:
    assert memory.edition(RULES) == memory.edition(RULES) != memory.edition(RULES[1:])
    assert memory.edition(["no such file.py"]) == ""
