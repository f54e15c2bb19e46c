"""Vocabularies: two thirds of the tokens count the same, and those that are kept unpacked are the packed ones."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.tokens import vocabulary
from codeh_history.tokens.vocabulary import Vocabulary
from counting import NAME
from length import examples

if TYPE_CHECKING:
    import tiktoken

SIGNS = "aZ09 \n\t'ßéłñ—“”…→✅│①\u2028\ufe0f\ufffd\U0001f642\U0001f9d1\u200d\uf8ff\uff0c"  # of usual texts


@cache
def usual() -> tiktoken.Encoding:
    return Vocabulary(NAME).encoding([])


# -- two thirds of the tokens ------------------------------------------------------------------------------


@given(text=st.text(SIGNS, max_size=60) | st.text(max_size=20))
def test_the_usual_tokens_encode_a_usual_text_as_all_do(text: str) -> None:
    if vocabulary.is_usual(text):
        every = vocabulary.load(NAME).whole.encode(text, disallowed_special=())
        assert usual().encode(text, disallowed_special=()) == every


def test_each_token_of_a_usual_text_is_usual() -> None:
    every = vocabulary.load(NAME).whole
    assert len(usual().token_byte_values()) < 0.75 * len(every.token_byte_values())
    texts = [token.decode("utf-8", "replace") for token in every.token_byte_values()]
    said = [f"{text}{text.upper()} {text}\n" for text in texts if vocabulary.is_usual(text)]
    some = [text for text in said if vocabulary.is_usual(text)]  # in capitals `µ` is Greek
    together = "é".join(some[:: max(1, 400 // examples(400))])
    assert usual().encode(together, disallowed_special=()) == every.encode(together, disallowed_special=())


def test_for_other_texts_all_tokens_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def built(_: str, ranks: dict[bytes, int]) -> Any:
        sizes.append(len(ranks))
        return object()

    monkeypatch.setattr(vocabulary, "built", built)
    for sign in [*"дλאगعא日", "a\u0301", "\ud800", "\ud83d\ude42"]:
        sizes.clear()
        found = Vocabulary(NAME)
        some = found.encoding(["a", SIGNS])
        assert found.encoding(["é"]) is some
        every = found.encoding(["a", f"and {sign}", "b"])
        assert every is found.whole is found.encoding(["a"])  # as they are there
        assert len(sizes) == 2
        assert sizes[0] < sizes[1] == 199_998
