"""A text that arrives in pieces is broken between words, and nothing of it is lost."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.render.wrapping import Wrapping

WIDTH = 12
TEXTS = st.lists(
    st.sampled_from(["a", "word", " ", "  ", "\n", "longer-than-a-line", "```", "`", "|", "天気", "é", "- ", "\t"]), max_size=40
).map("".join)  # fmt: skip


def shown(*pieces, width=WIDTH):
    wrapping = Wrapping(lambda: width)
    return "".join([*map(wrapping.feed, pieces), wrapping.feed("\n")])


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("the sky is blue today", ["the sky is", "blue today"]), ("exactly-12ch x", ["exactly-12ch", "x"]), ("a  b", ["a  b"]),
        ("one\ntwo three four", ["one", "two three", "four"]), ("see longer-than-a-line", ["see", "longer-than-a-line"]),
        ("```\nlet x = a + b + c\n```\na b c d e f g h", ["```", "let x = a + b + c", "```", "a b c d e f", "g h"]),
        ("| a | b | c | d | e |", ["| a | b | c | d | e |"]), ("今日は天気がいい", ["今日は天気が", "いい"]),
        ("    indented text here", ["    indented", "text here"]), ("trailing    \nx", ["trailing", "x"]),
    ],
)  # fmt: skip
def test_prose_is_broken_between_words_code_and_tables_are_not(text, lines):
    assert shown(text).splitlines() == lines
    assert shown(*text).splitlines() == lines


@given(text=TEXTS, cuts=st.lists(st.integers(0, 200), max_size=8))
def test_nothing_is_lost_but_blanks_that_end_a_line(text, cuts):
    places = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    pieces = [text[a:b] for a, b in pairwise(places)]
    assert shown(*pieces).split() == shown(text).split()
    assert "".join(shown(*pieces).split()) == "".join(text.split())


def test_a_word_is_written_as_it_arrives_unless_it_may_not_fit():
    wrapping = Wrapping(lambda: 80)
    assert wrapping.feed("Rayl") == "Rayl"
    assert wrapping.feed("eigh scat") == "eigh scat"
    long = "x" * 60
    assert wrapping.feed(f"\n{long} scat") == f"\n{long}"
    assert wrapping.feed("tering of the blue light") == " scattering of the\nblue light"
