"""Where secrets stand in a text: overlapping ones are one, and pieces of a text each hold their share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.filters.redact.spans import Span, ascii_lower, merged, shares, without

JWT, WORD = "jwt", "assignment"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([], []),
        ([(5, 9, JWT), (0, 3, JWT)], [(0, 3, JWT), (5, 9, JWT)]),
        ([(0, 3, JWT), (3, 5, WORD)], [(0, 3, JWT), (3, 5, WORD)]),
        ([(0, 4, WORD), (3, 9, JWT)], [(0, 9, JWT)]),
        ([(0, 4, JWT), (3, 9, WORD)], [(0, 9, JWT)]),
        ([(0, 9, WORD), (3, 5, JWT)], [(0, 9, JWT)]),
        ([(0, 9, ""), (3, 5, WORD)], [(0, 9, WORD)]),
        ([(0, 9, JWT), (3, 5, "github-token")], [(0, 9, JWT)]),
        ([(0, 4, JWT), (3, 6, WORD), (5, 9, WORD)], [(0, 9, JWT)]),
    ],
)
def test_those_that_overlap_are_one_of_the_kind_that_says_most(found, expected):
    assert merged(Span(*one) for one in found) == expected


def test_a_mark_stands_where_a_secret_was_and_none_where_one_goes_on():
    assert without("abcdef", [Span(1, 3, JWT), Span(5, 6, "")]) == "a[redacted:jwt]de"
    assert without("abc", []) == "abc"


@given(sizes=st.lists(st.integers(0, 4), max_size=6), cuts=st.lists(st.integers(0, 24), max_size=6))
def test_each_piece_holds_its_share_and_the_secret_is_marked_once(sizes, cuts):
    text = "abcdefghijklmnopqrstuvwx"[: sum(sizes)]
    pieces, at = [], 0
    for size in sizes:
        pieces.append(text[at : at + size])
        at += size
    ends = sorted({cut for cut in cuts if cut <= len(text)})
    spans = [Span(start, end, JWT) for start, end in zip(ends[::2], ends[1::2], strict=False)]
    found = shares(pieces, spans)
    whole = "".join(without(piece, own) for piece, own in zip(pieces, found, strict=True))
    assert whole == without(text, spans)


def test_capitals_become_small_each_in_its_place():
    assert ascii_lower("ABÄ") == "abä"
    assert ascii_lower("A\u0130B") == "a\u0130b"
