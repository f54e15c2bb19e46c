"""The view: how deltas join, and in which order summaries stand."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_fold import short, w

import strategies as some
from codeh_history.session.view import join


def test_a_summary_covers_no_later_one() -> None:
    assert short(w().a("a").s("S", "T").s("T", "a").a("b").view()) == "S T b"


def test_summaries_stand_by_the_first_that_they_cover() -> None:
    assert short(w().a("a").a("b").a("c").s("T", "b").s("S", "a", "c").view()) == "S T"


class _Piece(str):
    """A text that may not be put together with another alone: that copies all before it, each time."""

    __slots__ = ()

    def __add__(self, other: str) -> str:
        raise AssertionError("a long stream takes as long as its pieces times its length")


def test_2026_11_23_a_stream_of_many_large_pieces_took_minutes_to_read() -> None:
    pieces = [{"text": _Piece("ab")}, {"text": _Piece("cd")}, {"text": _Piece("e"), "thought": True}]
    assert join([{"text": _Piece("x")}], [*pieces, *pieces]) == [
        {"text": "xabcd"}, {"text": "e", "thought": True}, {"text": "abcd"}, {"text": "e", "thought": True},
    ]  # fmt: skip


pieces = st.lists(some.plain | some.thoughts | some.signed | some.calls, max_size=6)


@given(parts=pieces, data=st.data())
def test_deltas_join_to_the_same_content_however_they_are_cut(parts: Any, data: st.DataObject) -> None:
    """Cut between any parts, and inside any plain text."""
    whole = join([], parts)
    pending: Any = []
    for part in parts:
        text = part.get("text")
        if text and not part.keys() - {"text", "thought"}:
            cut = data.draw(st.integers(1, len(text)))
            chunks = [{**part, "text": text[:cut]}, {**part, "text": text[cut:]}]
            pending = join(join(pending, chunks[:1]), chunks[1:])
        else:
            pending = join(pending, [part])
    assert pending == whole


A, B, T, SIGNED = (
    {"text": "a"},
    {"text": "b"},
    {"text": "t", "thought": True},
    {"text": "", "thoughtSignature": "s"},
)


JOINED: list[tuple[list[Any], list[Any]]] = [
    ([A, B], [{"text": "ab"}]),
    ([A, T, T, B], [A, {"text": "tt", "thought": True}, B]),
    ([A, SIGNED, B], [A, SIGNED, B]),
    ([A, {"text": "b", "later": 1}], [A, {"text": "b", "later": 1}]),
    ([A, {"text": "b", "thought": False}], [{"text": "ab"}]),
    ([], []),
]


@pytest.mark.parametrize(("parts", "whole"), JOINED)
def test_neighbouring_texts_of_one_sort_become_one(parts: list[Any], whole: list[Any]) -> None:
    assert join([], parts) == whole


@given(parts=pieces)
def test_joining_never_changes_what_it_was_given(parts: Any) -> None:
    before = orjson.dumps(parts)
    join([*parts], parts)
    assert orjson.dumps(parts) == before
