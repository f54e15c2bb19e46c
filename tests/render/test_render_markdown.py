"""A model's Markdown on a terminal: what it wrote, character for character, and code that no line break alters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.render import markdown, plain
from codeh_history.render.markdown import LONGEST, lines

PIECES = st.lists(
    st.sampled_from(["# ", "*", "`", "```", "```py", "~~~", "\n", "\n\n", "a", " ", "&lt;", "<b>", "\x1b[31m", "\t", "- "]),
    max_size=15,
).map("".join)  # fmt: skip


@given(PIECES)
def test_what_was_written_is_there_line_by_line(text: str) -> None:
    assert [line.plain for line in lines(text)] == (plain.text_lines(text) or [""])


@pytest.mark.parametrize(
    ("text", "wrapped"),
    [
        ("a\n```py\nx = 1\n\ny\n```\nb", [True, False, False, False, False, False, True]), ("```\n```", [False, False]),
        ("```\nopen", [False, False]), ("prose `code`", [True]), ("~~~\na\n~~~\n```\nb\n```", [False] * 6),
    ],
)  # fmt: skip
def test_prose_may_be_wrapped_and_code_may_not(text: str, wrapped: list[bool]) -> None:
    assert [not line.no_wrap for line in lines(text)] == wrapped


def test_code_is_in_the_colours_of_its_language_and_fences_are_dim() -> None:
    fence, code, _ = lines("```python\nNone\n```")
    assert fence.style == "dim"
    assert [str(span.style) for span in code.spans] == [markdown.STYLES["constant"]]
    title, _ = lines("# Title\nx")
    assert "bold" in {str(span.style) for span in title.spans}


def test_what_would_take_long_is_plain() -> None:
    text = "# Title\n" + "x" * (LONGEST - 7)
    assert all(not line.spans for line in lines(text))
    assert [line.plain for line in lines(text)] == text.split("\n")
    first, *_ = lines(text[:-1])
    assert first.spans
