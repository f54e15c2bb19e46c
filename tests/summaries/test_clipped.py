"""A text on one line, cut at a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.summaries.clipped import clip


@pytest.mark.parametrize(("text", "room", "found"), [
    ("one two", 7, "one two"), ("one two three", 9, "one two…"), (" a\n\tb  c ", 9, "a b c"), ("", 5, ""),
    ("one, two", 6, "one…"), ("abcdefghij", 5, "abcd…"), ("a bcdefghij", 6, "a bcd…"), ("ab", 1, "a…"),
    ("see https://a.example/long/path now", 20, "see…"), ("url=https://a.example/long/path, more", 12, "url=https://a.example/long/path,…"),
    ("see https://a.example now", 24, "see https://a.example…"),
])  # fmt: skip
def test_it_is_cut_at_a_word(text, room, found):
    assert clip(text, room) == found


@given(st.text("ab ,\n"), st.integers(2, 20))
def test_it_is_a_beginning_of_its_words_that_fits(text, room):
    words, found = " ".join(text.split()), clip(text, room)
    assert len(found) <= room
    assert words == found if len(words) <= room else words.startswith(found.removesuffix("…"))
    assert found.endswith("…") == (len(words) > room)


def test_of_a_text_that_is_nearly_all_blanks_only_the_beginning_is_looked_at():
    assert clip("a" + " " * 10_000_000 + "b", 5) == "a"
