"""The sentence that says that a tool call failed: fixed, for readers of a session look for it."""

from __future__ import annotations

import pytest

from codeh_history.session.failed_call import is_sentence, sentence


def test_it_is_the_very_sentence() -> None:
    assert sentence("grep", "no such file") == "Tool call grep failed with error: no such file"
    assert is_sentence(sentence("grep", ""))


@pytest.mark.parametrize(
    "text",
    [
        "Tool call grep went well",
        "A tool call failed with error: x",
        "grep failed with error: x",
        "",
        None,
        {"error": "x"},
    ],
)
def test_nothing_else_is_taken_for_it(text: object) -> None:
    assert not is_sentence(text)
