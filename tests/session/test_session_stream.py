"""What a filter prints: it folds to the same view, and unchanged lines keep their bytes."""

import orjson
import pytest
from hypothesis import given

import strategies as some
from codeh_history.session.fold import fold
from codeh_history.session.records import block_of, parse
from codeh_history.session.view import blocks_of, record_of
from folding import w
from plain_logs import contents, read, streamed
from strategies import TS, view_of


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
