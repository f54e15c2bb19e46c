"""Counts in words, and what was probably meant."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import NotFound
from codeh_history.base.words import (
    WHOLE,
    did_you_mean,
    distance,
    near,
    prefixes,
    some,
    suggestion,
    the_one,
)


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("dmeo", ["demo", "dome"], "demo"),
        ("demp", ["deom", "demo"], "demo"),
        ("shw", ["show", "set"], "show"),
        ("sumarise", ["summarize", "status"], "summarize"),
        ("titel", ["title", "tools"], "title"),
        ("chat-21", ["chat-22", "chat-2"], None),
        ("demo2", ["demo"], None),
        ("a", ["b"], None),
        ("ab", ["abc"], None),
        ("abx", ["abc"], "abc"),
        ("work", ["play", "words"], None),
        ("demo", ["demo"], None),
        ("demo", [], None),
        ("codex-01a1", ["codex-01a1ffc8-d3f6-7031", "codex-02"], "codex-01a1ffc8-d3f6-7031"),
        ("codex-01a1", ["codex-01a1ffc8-d3f6-7031", "codex-01a1ffc8-d3f6-7032"], None),
        ("alpha", ["alpha-of-may"], None),
        ("c", ["codex-01a1ffc8-d3f6-7031"], None),
    ],
)
def test_what_was_meant(name: str, names: list[str], meant: str | None) -> None:
    assert near(name, names) == meant


def test_how_it_is_said() -> None:
    assert did_you_mean("dmeo", ["demo"]) == " (did you mean demo?)"
    assert did_you_mean("other", ["demo"]) == ""
    assert suggestion("dmeo", ["demo"], "one of demo") == "did you mean demo?"
    assert suggestion("other", ["demo"], "one of demo") == "one of demo"
    assert [some(count, "hit") for count in (0, 1, 2)] == ["0 hits", "1 hit", "2 hits"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a", "ambiguous: ab, abc"), ("ab", "ambiguous: ab, abc"), ("", "none such"),
        ("x:", "none such; did you mean x?"), ("7", "none such; did you mean :7?"),
    ],
)  # fmt: skip
def test_an_id_is_known_by_its_beginning_where_no_other_begins_so(name: str, why: str) -> None:
    assert the_one("abc", ["ab", "abc"], "demo", "none such") == "abc"
    with pytest.raises(NotFound, match=rf"^demo: {re.escape(name)}: {re.escape(why)}$"):
        the_one(name, ["ab", "abc"], "demo", "none such")


def plainly(a: str, b: str) -> int:
    """The same distance, defined as textbooks do."""
    if not a or not b:
        return len(a) + len(b)
    ways = [
        plainly(a[1:], b) + 1,
        plainly(a, b[1:]) + 1,
        plainly(a[1:], b[1:]) + (a[0] != b[0]),
    ]
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        ways.append(plainly(a[2:], b[2:]) + 1)
    return min(ways)


@given(st.text("ab", max_size=6), st.text("abc", max_size=6), st.integers(0, 3))
def test_slips_are_counted_up_to_the_most_that_matters(a: str, b: str, most: int) -> None:
    right = plainly(a, b)
    found = distance(a, b, most) if abs(len(a) - len(b)) <= most else most + 1
    assert found == right if right <= most else found > most


def test_an_id_is_shortened_to_what_no_other_has_and_people_can_read() -> None:
    same = "claude-code-5e551000-"
    codex, sky = "codex-01a1ffc8-d3f6-7031-8000", "2026-11-23-why-is-the-sky"
    ids = [f"{same}0000-4000", f"{same}1000-4000", codex, "demo", "a" * WHOLE, sky, f"{sky}-2"]
    known = [*ids, "codex-01a1ffc8-d3f6-9999", "demo-2"]
    assert list(prefixes(ids, known).values()) == [
        f"{same}0",
        f"{same}1",
        "codex-01a1ffc8-d3f6-7",
        "demo",
        "a" * WHOLE,
        sky,
        f"{sky}-2",  # rather than `…-sky-`
    ]
    assert prefixes(["a" * 30], ["a" * 30, "a" * 29]) == {"a" * 30: "a" * 30}
