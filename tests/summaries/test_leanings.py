"""What a sentence leans to without a cue: what shall be, why, what is open, what was chosen."""

from __future__ import annotations

import pytest

from codeh_history.summaries.leanings import weight


@pytest.mark.parametrize(
    ("sentence", "kinds"),
    [
        ("The parser reads lines.", 0), ("Every line needs a name.", 1), ("It is slow because of locks.", 1), ("Nobody knows who pays.", 2), ("We keep it as it must stay.", 3),
        ("Es muss so sein, weil niemand es sah.", 3), ("必须保留", 2), ("因为慢", 1), ("天气很热", 0), ("", 0),
        ("Die Größe bitte nicht ändern.", 1), ("Wir lassen es, weil es so heißt.", 2), ("The café must stay open → since May.", 3),
    ],
)  # fmt: skip
def test_how_many_kinds_of_such_words_a_sentence_has(sentence: str, kinds: int) -> None:
    assert weight(sentence) == kinds
