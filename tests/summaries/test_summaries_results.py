"""What a tool gave, as its texts: frames and empty fields are none."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from codeh_history.summaries import results

LETTERS = st.characters(codec="utf-8") | st.sampled_from(
    "iferup_#;:{}\u0130\u0131\u017f\u212a \t\x0b\u3000"
)


@given(st.lists(st.sampled_from(("Output", "\u017ftdout", "STDERR", "result", ": ", "x", "(none)", "(empty)", " ", "\n"))
                | st.text(LETTERS, max_size=3), max_size=6).map("".join))  # fmt: skip
def test_a_field_of_a_frame_is_seen(text: str) -> None:
    if re.search(results._FIELD, text):
        assert any(end in text.lower() for end in results._FIELD_ENDS)
    assert results._is_empty(text) == (re.fullmatch(results._EMPTY, text) is not None)
