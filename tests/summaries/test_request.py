"""The request for a summary: a long source is cut into requests that fit, and nothing of it is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.summaries.request import (
    BESIDE,
    CONVERSATIONS,
    LONGEST,
    SHORTEST,
    chunks,
    cut,
    instructions,
    standard,
    words_of,
)


def count(texts):
    """A token is three characters."""
    return [-(-len(text) // 3) for text in texts]


WORDS = st.text(st.sampled_from("ab \n"), max_size=120)


@given(pieces=st.lists(WORDS, max_size=6), room=st.integers(BESIDE + 1, 40))
def test_every_group_fits_and_nothing_is_lost(pieces, room):
    groups = chunks(pieces, room, count)
    for group in groups:
        assert group
        assert sum(count(group)) + BESIDE * len(group) <= room
    assert letters(groups) == letters([pieces])


def letters(groups):
    return "".join("".join(piece.split()) for group in groups for piece in group)


@given(text=WORDS, room=st.integers(BESIDE + 1, 30))
def test_a_text_is_cut_into_pieces_that_fit(text, room):
    pieces = cut(text, room, count)
    assert all(tokens + BESIDE <= room for tokens in count(pieces))
    assert letters([pieces]) == letters([[text]])
    assert all(piece.strip() for piece in pieces)


def test_what_fits_together_is_one_group_in_its_order():
    assert chunks(["aaa", "bbb", "ccc"], 3 * (1 + BESIDE), count) == [["aaa", "bbb", "ccc"]]
    assert chunks(["aaa", "bbb", "ccc"], 3 * (1 + BESIDE) - 1, count) == [["aaa", "bbb"], ["ccc"]]
    assert chunks([], 9, count) == []


def test_a_text_is_cut_at_a_line_end_where_there_is_one():
    text = "\n".join(["word word"] * 12)
    assert all(piece.endswith("word") and piece.startswith("word") for piece in cut(text, 20, count))


@pytest.mark.parametrize(("tokens", "words"), [(0, SHORTEST), (180, 30), (600, 100), (10**6, LONGEST)])
def test_a_summary_is_a_sixth_as_long_within_limits(tokens, words):
    assert words_of(tokens) == words


def test_it_says_how_many_conversations_and_how_long():
    text = instructions(7, CONVERSATIONS, words=100)
    assert "the following 7 conversations" in text
    assert "at most 100 words" in text
    asked = standard(7, CONVERSATIONS, 600, "data")
    assert asked.plain == f"{text}\n\ndata\n"
    assert asked._replace(head="").plain == "data"
