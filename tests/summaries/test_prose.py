"""Sentences: where they end, and which lines are prose at all."""

from __future__ import annotations

import pytest

from codeh_history.summaries import prose


@pytest.mark.parametrize(
    "text, expected",
    [
        ("One. Two here! And three?", ["One.", "Two here!", "And three?"]),
        ("Use e.g. tabs. Not spaces.", ["Use e.g. tabs.", "Not spaces."]),
        ("- a list\n- of things", ["a list", "of things"]),
        ("Before\n```py\nnever = 1\n```\nAfter it", ["Before", "After it"]),
        ("$ npm run build\nWhat now?", ["What now?"]),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert prose.sentences(text) == expected
