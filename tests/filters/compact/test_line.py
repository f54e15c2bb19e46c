"""What a single line is worth by itself: imports and lines without words say little."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.filters.compact import line as lines

LETTERS = st.characters(codec="utf-8") | st.sampled_from(
    "iferup_#;:{}\u0130\u0131\u017f\u212a \t\x0b\u3000"
)


@given(st.lists(st.sampled_from(("import", "from x import", "export {", "#include", "package a;", "require", "}", "x", " "))
                | st.text(LETTERS, max_size=4), max_size=6).map("".join))  # fmt: skip
def test_a_dull_line_is_seen(line: str) -> None:
    assert (lines.dullness(line) == lines.DULL) == (lines._DULL.match(line) is not None)


@pytest.mark.parametrize(
    ("text", "dull"),
    [
        ("import os", True), ("  from a import b", True), ("#include <x.h>", True), ("export * from './a'", True), ("using a.b;", True),
        ("});", True), ("----", True), ("", True), ("package a.b;", True), ("require 'a'", True),
        ("important: read it", False), ("from here it goes on", False), ("x = 1", False), ("using it is fine", False), ("日本", False),
    ],
)  # fmt: skip
def test_imports_and_lines_without_a_word_say_little(text: str, *, dull: bool) -> None:
    assert lines.dullness(text) == (lines.DULL if dull else 1.0)


def test_a_longer_line_costs_more_and_a_label_too() -> None:
    short, long = (lines.Line("word " * count, "said", 0) for count in (3, 9))
    assert short.cost < long.cost
    assert lines.Line("word", "said", 0, label="Ann").cost > lines.Line("word", "said", 0).cost
    shared, alone = (
        lines.Line("word", "gave", 0, label=label).cost for label in ("src/abc.py", "`make abc`")
    )
    assert lines.Line("word", "gave", 0).cost < shared < alone
    assert lines.Line("word", "ledger", 0, label="created").cost == lines.Line("word", "ledger", 0).cost


def test_what_was_asked_is_worth_more_than_what_a_tool_gave() -> None:
    factors = [lines.Line("word", kind, 0).factor for kind in ("asked", "said", "gave", "called", "pasted")]
    assert factors == sorted(factors, reverse=True)
    assert lines.Line("word", "gave", 0, factor=0.5).factor == 0.5 * lines.Line("word", "gave", 0).factor


def test_without_its_filler_a_line_costs_less() -> None:
    line = lines.Line("Um, so the, the parser really reads lines.", "said", 0, topic="rule")
    line.features = frozenset(("x",))
    shorter = line.shorter()
    assert (shorter.text, shorter.topic, shorter.features) == ("The parser reads lines.", "rule", None)
    assert shorter.cost < line.cost
    assert line.text.startswith("Um")
    assert (plain := lines.Line("The parser reads lines.", "said", 0)).shorter() is plain


def test_a_changed_line_is_another() -> None:
    line = lines.Line("a", "asked", 3, label="Ann", row=2, first=True)
    line.place = 7
    other = line.changed(text="b", place=8)
    assert (line.text, line.place, other.text, other.place) == ("a", 7, "b", 8)
    assert (other.kind, other.number, other.label, other.row, other.first, other.cost) == (
        "asked",
        3,
        "Ann",
        2,
        True,
        line.cost,
    )
