"""Which ids there may be, counts in words, and what was probably meant."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import NotFound
from codeh_history.base.words import (
    WHOLE,
    did_you_mean,
    is_id,
    near,
    prefixes,
    some,
    suggestion,
    the_one,
)


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("dmeo", ["demo", "play"], "demo"),
        ("shw", ["show", "set"], "show"),
        ("sumarise", ["summarize", "status"], "summarize"),
        ("titel", ["title", "tools"], "title"),
        ("a", ["b"], None),
        ("ab", ["xyz"], None),
        ("work", ["play", "words"], None),
        ("demo", ["demo"], None),
        ("demo", [], None),
        ("codex-01a1", ["codex-01a1ffc8-d3f6-7031", "codex-02"], "codex-01a1ffc8-d3f6-7031"),
        ("codex-01a1", ["codex-01a1ffc8-d3f6-7031", "codex-01a1ffc8-d3f6-7032"], None),
        ("alpha", ["alpha-of-may"], None),
        ("c", ["codex-01a1ffc8-d3f6-7031"], None),
    ],
)
def test_what_was_meant(name, names, meant):
    assert near(name, names) == meant


def test_how_it_is_said():
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
def test_an_id_is_known_by_its_beginning_where_no_other_begins_so(name, why):
    assert the_one("abc", ["ab", "abc"], "demo", "none such") == "abc"
    with pytest.raises(NotFound, match=rf"^demo: {re.escape(name)}: {re.escape(why)}$"):
        the_one(name, ["ab", "abc"], "demo", "none such")


def test_an_id_is_shortened_to_what_no_other_has_and_people_can_read():
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


VALID = ["a", "A1", "0", "demo-1_x", "a" * 128, "console", "com", "com10", "lpt0", "nul_"]
INVALID = [
    "", "-a", "_a", ".a", "a.b", "a b", "a/b", "../a", "/a", "a\0b", "a\n", "é", "a" * 129, "con", "CON", "Prn", "aux",
    "nul", "com1", "COM9", "lpt1", "a\\b", "a:b", "@", "~", "*",
]  # fmt: skip


@pytest.mark.parametrize("text", VALID)
def test_an_id(text):
    assert is_id(text)


@pytest.mark.parametrize("text", INVALID)
def test_no_id(text):
    assert not is_id(text)


@given(st.text(max_size=6) | st.text("aZ0_-./", max_size=6))
def test_it_is_letters_digits_and_what_joins_them(text):
    device = re.fullmatch("con|prn|aux|nul|(com|lpt)[1-9]", text, re.IGNORECASE)
    assert is_id(text) == bool(re.fullmatch("[A-Za-z0-9][A-Za-z0-9_-]{0,127}", text) and not device)
