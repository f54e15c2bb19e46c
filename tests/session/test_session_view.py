"""The view: its functions, and what a filter prints of it."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.session.fold import fold
from codeh_history.session.records import block_of, parse
from codeh_history.session.view import (
    blocks_of,
    content_of,
    is_idless,
    join,
    kind_of,
    number_calls,
    record_of,
    text_of,
)
from folding import CALL, put, short, w
from plain_logs import contents, read, streamed
from strategies import TS, view_of

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


# -- what a filter prints folds to the same view, and unchanged lines keep their bytes


@given(data=some.files_of(refs=True))
def test_what_a_filter_prints_folds_to_the_same_view(data):
    view = read(data)
    assert contents(read(streamed(view))) == contents(view)


@given(data=some.files_of(refs=True))
def test_a_second_pass_prints_the_same_bytes(data):
    once = streamed(read(data))
    assert streamed(read(once)) == once


@given(data=some.files_of(refs=True))
def test_unchanged_lines_keep_their_bytes(data):
    """The header, meta and unknown lines, and every message whose one line says what it shows."""
    log = parse(data)
    view = fold(log)
    printed = streamed(view).split(b"\n")
    counting = [record for place, record in enumerate(log.records) if place not in view.dead]
    kept = [record.raw for record in counting if record.data["type"] in ("meta", "later")]
    dead = [record.data["of"] for record in log.records if record.data["type"] == "revert"]
    named = [r.data["id"] for r in log.records if r.data["type"] in ("message", "open", "ref")]
    touched = {r.data["of"] for r in log.records if "of" in r.data}
    updated = {r.data["id"] for r in log.records if r.data["type"] == "update" and r.data["of"] in touched}
    replaced = {op.get("id") for r in log.records if r.data["type"] == "compaction" for op in r.data["ops"]}
    for record in log.records:
        id = record.data.get("id")
        plain = record.data["type"] == "message" and record.bare is None and named.count(id) == 1
        if plain and id not in touched | updated | replaced and any(m.id == id for m in view.messages):
            kept.append(record.raw)
    for raw in kept:
        assert raw in printed or any(orjson.loads(raw).get("id") == id for id in dead)


STREAMED = {
    "a message said again while its stream was open": w().o("m").a("m", "whole"),
    "pending content that begins in the middle of a stream": w()
    .o("m")
    .add(type="update", id="U", of="m", ts=TS, parts=[{"text": "one"}, {"text": "two"}]),
    "an update of an update": w().a("a").u("U", "a", "v2").u("V", "U", "v3"),
    "an update that was cut": w().a("a").u("U", "a", "v2").ab("a"),
    "a stream opened for a message that is there": w().a("a").o("a"),
}


@pytest.mark.parametrize("log", STREAMED.values(), ids=STREAMED)
def test_2026_11_21_pending_content_came_through_a_filter_changed(log):
    assert contents(read(streamed(log.view()))) == contents(log.view())


def test_2026_11_21_a_bare_line_with_an_id_in_its_parts_took_another_id_in_a_filter():
    line = b'{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{}}}]}\n'
    view = read(line + w().x().bytes() + line)
    assert [m.id for m in read(streamed(view)).messages] == [m.id for m in view.messages]


# -- single records -------------------------------------------------------------------------------------

BLOCKS = [block_of({"text": "one"}), block_of({"text": "two"})]
HEAD = {"id": "a", "ts": TS, "kind": "codeh", "role": "model"}
STORED = {"type": "ref", **HEAD, "blockIds": BLOCKS, "flowId": "f"}


def printed(log):
    """The records that a filter prints of these."""
    return [orjson.loads(line) for line in streamed(view_of(log)).splitlines()]


def test_what_lies_in_blocks_is_printed_as_a_reference():
    assert printed([STORED]) == [STORED]
    commit = {"type": "commit", "of": "a", "ts": TS, "blockIds": BLOCKS, "idless": [1]}
    (record,) = printed([{**STORED, "type": "open", "blockIds": None}, commit])
    assert (record["type"], record["blockIds"], record["idless"]) == ("ref", BLOCKS, [1])
    assert "parts" not in record


def test_what_was_replaced_is_no_reference_any_more():
    op = {"op": "replace", "id": "a", "part": 0, "block": BLOCKS[0], "with": {"text": "s"}, "why": "w"}
    record, *_ = printed([STORED, {"type": "compaction", "id": "K", "ts": TS, "policy": "p", "ops": [op]}])
    assert (record["type"], record["parts"][0]) == ("message", {"text": "s"})
    assert blocks_of(view_of([STORED]).messages[0]) == BLOCKS


def test_notes_for_people_have_no_role():
    note = {"type": "message", **HEAD, "kind": "error", "parts": [{"text": "x"}]}
    view = view_of([note])
    assert record_of(view.messages[0]) == {key: value for key, value in note.items() if key != "role"}


def test_extra_fields_of_a_message_are_kept():
    opened = {"type": "open", **HEAD, "model": "x"}
    more = {"parts": [{"text": "x"}], "usage": {"input": 1}}
    assert printed([opened, {"type": "commit", "of": "a", "ts": TS, **more}]) == [
        {**opened, "type": "message", **more}
    ]


def test_a_bare_message_keeps_its_id_behind_another():
    """It hangs on the equal lines before it, which a filter may leave out."""
    bare = b'{"role":"user","parts":[{"text":"x"}]}\n'
    view = read(bare * 2)
    only = streamed(view.with_messages(view.messages[1:]))
    assert [message.id for message in read(only).messages] == [view.messages[1].id]
    assert streamed(view.with_messages(view.messages[:1])) == bare
