"""The view: how deltas join, and in which order summaries stand."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.session.view import content_of, is_idless, join, kind_of, number_calls, text_of
from folding import CALL, put, short, w

COVERING = {
    "no later one": (w().a("a").s("S", "T").s("T", "a").a("b"), "S T b"),
    "by the first that they cover": (w().a("a").a("b").a("c").s("T", "b").s("S", "a", "c"), "S T"),
    "where a summary that one covers begins": (
        w().a("a").a("b").a("c").s("T", "b").s("S", "c").s("R", "a").s("Z", "S").s("Y", "Z", "R"), "Y T",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("log", "shown"), COVERING.values(), ids=COVERING)
def test_which_summaries_stand_for_which_messages(log, shown):
    assert short(log.view()) == shown


class _Piece(str):
    """A text that may not be put together with another alone: that copies all before it, each time."""

    __slots__ = ()

    def __add__(self, other):
        raise AssertionError("a long stream takes as long as its pieces times its length")


def test_2026_11_23_a_stream_of_many_large_pieces_took_minutes_to_read():
    pieces = [{"text": _Piece("ab")}, {"text": _Piece("cd")}, {"text": _Piece("e"), "thought": True}]
    assert join([{"text": _Piece("x")}], [*pieces, *pieces]) == [
        {"text": "xabcd"}, {"text": "e", "thought": True}, {"text": "abcd"}, {"text": "e", "thought": True},
    ]  # fmt: skip


pieces = st.lists(some.plain | some.thoughts | some.signed | some.calls, max_size=6)


A, B = {"text": "a"}, {"text": "b"}
T, SIGNED = {"text": "t", "thought": True}, {"text": "", "thoughtSignature": "s"}
JOINED = [
    ([A, B], [{"text": "ab"}]),
    ([A, T, T, B], [A, {"text": "tt", "thought": True}, B]),
    ([A, SIGNED, B], [A, SIGNED, B]),
    ([A, {"text": "b", "later": 1}], [A, {"text": "b", "later": 1}]),
    ([A, {"text": "b", "thought": False}], [{"text": "ab"}]),
    ([], []),
]


@pytest.mark.parametrize(("parts", "whole"), JOINED)
def test_neighbouring_texts_of_one_sort_become_one(parts, whole):
    assert join([], parts) == whole


@given(parts=pieces)
def test_joining_never_changes_what_it_was_given(parts):
    before = orjson.dumps(parts)
    join([*parts], parts)
    assert orjson.dumps(parts) == before


def test_summaries_stand_in_the_order_of_what_they_cover():
    log = w().a("a").a("b").a("c").s("T", "c").s("S", "b").s("Z", "S", "a").s("N")
    assert short(log.view()) == "Z T N"
    assert [summary.id for summary in log.view().hidden_summaries] == ["S"]


def test_the_steps_that_undo_takes_back_stand_where_they_happened_last():
    log = w().a("a", "v1").u("U", "a", "v2").a("b").c("U").x().k("K", put("b", "i"))
    assert [step.id for step in log.view().steps] == ["a", "b", "U", "X", "K"]


THOUGHT = {"text": "hm", "thought": True}
TEXTS = [
    ([], ""), ([{"text": "a"}], "a"), ([THOUGHT], ""), ([{**THOUGHT, "thought": False}], "hm"),
    ([{"text": "a"}, THOUGHT, CALL, {"text": "b"}], "ab"), ([CALL], ""),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "text"), TEXTS)
def test_a_message_says_its_texts_but_no_thoughts(parts, text):
    assert text_of(w().a("a", parts=parts).view().all["a"]) == text


def test_a_message_that_is_not_committed_says_what_is_pending():
    view = w().o("m").d("m", "so far").a("a", "v1").u("U", "a", "v2").view()
    assert [text_of(message) for message in view.messages] == ["so far", "v1"]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"kind": "info"}, "info"), ({"kind": "later", "role": "model"}, "codeh"), ({"role": "model", "parts": [{"functionResponse": {}}]}, "codeh"),
        ({"role": "user", "parts": [{"text": "a"}, {"functionResponse": {}}]}, "tool"), ({"role": "user"}, "user"), ({"parts": None}, "user"),
    ],
)  # fmt: skip
def test_a_kind_is_recorded_or_told_by_role_and_parts(data, kind):
    assert kind_of(data) == kind


def test_calls_without_an_id_are_numbered_through_the_log():
    named = {"functionCall": {"id": "c", "name": "f", "args": {}}}
    log = w().a("a", parts=[CALL, {"text": "x"}]).a("b", parts=[named, {**CALL, "more": 1}, CALL]).a("c")
    view = log.view()
    assert [message.idless for message in view.messages] == [0, 1, 3]
    assert number_calls(view.messages) == 3
    assert number_calls(view.messages, 2) == 5


def test_a_call_in_a_block_is_without_an_id_where_the_record_says_so():
    first, second = content_of({"blockIds": ["x", "y"], "idless": [1]})
    assert (is_idless(first), is_idless(second)) == (False, True)
    assert content_of({"blockIds": "x"}) is None
    assert content_of({"blockIds": ["x"], "parts": []}) == []


def test_a_view_of_other_messages_leaves_this_one_as_it_is():
    view = w().a("a").a("b").s("S", "a").view()
    other = view.with_messages([], [])
    assert (short(view), short(other), other.all) == ("S b", "", view.all)
    assert short(view.with_messages([])) == "S"
    assert (view.with_settings({"title": "t"}).meta, view.meta) == ({"title": "t"}, {})
