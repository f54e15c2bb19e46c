"""What a single line is worth by itself: imports and lines without words say little."""

from __future__ import annotations

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
