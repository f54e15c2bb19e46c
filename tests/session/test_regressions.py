"""What once went wrong, each with the day it was found and put right."""

import orjson
import pytest

import strategies as some
from codeh_history.session import stream
from codeh_history.session.fold import fold
from codeh_history.session.ops import apply
from codeh_history.session.pairing import open_at_end
from codeh_history.session.records import block_of, lines_of, parse
from codeh_history.session.undo import newest
from support import run, session_path

TS = some.TS
HEADER = {"type": "session", "version": 1, "id": "s"}


def message(id, *texts, **fields):
    parts = [{"text": text} for text in texts or (id,)]
    return {"type": "message", "id": id, "ts": TS, "kind": "user", "role": "user", "parts": parts, **fields}


def opened(id):
    return {"type": "open", "id": id, "ts": TS, "kind": "codeh", "role": "model"}


def update(id, of, *texts):
    return {"type": "update", "id": id, "of": of, "ts": TS, "parts": [{"text": text} for text in texts]}


def compaction(id, *ops):
    return {"type": "compaction", "id": id, "ts": TS, "policy": "p", "ops": list(ops)}


def insert(after, id):
    return {"op": "insert", "after": after, "message": message(id)}


def drop(*ids):
    return {"op": "drop", "ids": list(ids), "why": "w"}


def revert(id, of):
    return {"type": "revert", "id": id, "of": of, "ts": TS}


def again(view):
    return fold(parse(stream.lines(view)))


def shown(view):
    return [(m.id, m.parts if m.committed else None, m.pending) for m in view.messages]


STREAMED = {
    "a message said again while its stream was open": [opened("m"), message("m", "whole")],
    "pending content that begins in the middle of a stream": [opened("m"), update("U", "m", "one", "two")],
    "an update of an update": [message("a"), update("U", "a", "v2"), update("V", "U", "v3")],
    "an update that was cut": [
        message("a"), update("U", "a", "v2"), {"type": "abort", "of": "a", "ts": TS, "reason": "cut"},
    ],
    "a stream opened for a message that is there": [message("a"), opened("a")],
}  # fmt: skip


@pytest.mark.parametrize("log", STREAMED.values(), ids=STREAMED)
def test_2026_11_21_pending_content_came_through_a_filter_changed(log):
    view = some.view_of([HEADER, *log])
    after = again(view)
    assert shown(after) == shown(view)
    assert [m.fields.get("aborted") for m in after.messages] == [
        m.fields.get("aborted") for m in view.messages
    ]


def test_2026_11_21_a_bare_line_with_an_id_in_its_parts_took_another_id_in_a_filter():
    line = b'{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{}}}]}\n'
    clear = orjson.dumps({"type": "clear", "id": "x", "ts": TS}) + b"\n"
    view = fold(parse(lines_of(line + clear + line)))
    assert [m.id for m in again(view).messages] == [m.id for m in view.messages]


def test_2026_11_21_bare_lines_that_differ_in_their_line_end_became_one_message():
    line = b'{"role":"user","parts":[{"text":"yes"}]}'
    assert len(fold(parse(lines_of(line + b"\n" + line + b"\r\n"))).messages) == 2


def test_2026_11_21_a_message_said_again_after_its_insertion_broke_the_fold():
    log = [HEADER, message("a"), compaction("K", insert("a", "r")), message("r", "again")]
    assert [m.id for m in some.view_of(log).messages] == ["a", "r"]
    log = [*log[:3], update("U", "r", "v2"), {"type": "commit", "of": "r", "ts": TS}]
    view = some.view_of(log)
    assert shown(view)[1] == ("r", [{"text": "v2"}], None)
    step = newest(view)
    assert step is not None
    assert step.id == "U"


def test_2026_11_21_undo_of_a_committed_edit_took_the_whole_message():
    """A commit that names the message, not the update."""
    log = [message("a"), message("b"), update("U", "a", "v2"), {"type": "commit", "of": "a", "ts": TS}]
    step = newest(some.view_of(log))
    assert step is not None
    assert (step.type, step.id) == ("update", "U")


def test_2026_11_21_a_second_insertion_stood_elsewhere_in_a_filter_than_in_the_log():
    log = [HEADER, message("a"), compaction("K", insert("a", "r1"))]
    ops = [insert("a", "r2")]
    applied = apply(some.view_of(log), ops)
    recorded = some.view_of([*log, compaction("L", *ops)])
    assert [m.id for m in applied.messages] == [m.id for m in recorded.messages] == ["a", "r2", "r1"]


def test_2026_11_21_what_was_inserted_after_an_undone_message_was_neither_shown_nor_hidden():
    log = [HEADER, message("a"), compaction("K", insert("a", "r")), revert("x", "a")]
    view = some.view_of(log)
    assert not view.messages
    assert view.all["r"].hidden == "a"


def test_2026_11_21_a_covered_summary_was_forgotten_when_the_next_was_placed():
    summary = {"type": "summary", "createdAt": TS, "summary": "x"}
    log = [
        HEADER, message("a"), {**summary, "id": "S", "covers": ["a"]}, message("b"),
        {**summary, "id": "T", "covers": ["S"]},
    ]  # fmt: skip
    ops = [{"op": "summarize", "ids": ["b"], "summary": "b"}]
    assert [s.text for s in apply(some.view_of(log), ops).summaries] == ["x", "b"]


def test_2026_11_22_a_replaced_part_vanished_with_its_neighbours_in_the_block_store():
    block = block_of({"text": "content"})
    ref = {"type": "ref", "id": "a", "ts": TS, "kind": "user", "role": "user", "blockIds": [block, block]}
    op = {"op": "replace", "id": "a", "part": 0, "block": block, "with": {"text": "s"}, "why": "w"}
    log = [HEADER, ref]
    assert shown(apply(some.view_of(log), [op])) == shown(some.view_of([*log, compaction("K", op)]))


def test_2026_11_21_a_session_in_the_working_directory_could_not_be_made(tmp_path):
    assert run("append", "-s", "x.jsonl", "-m", "hi", cwd=tmp_path).code == 0
    assert (tmp_path / "x.jsonl").is_file()


def test_2026_11_21_a_header_cut_after_its_version_was_taken_for_whole(home):
    path = session_path(home, "demo")
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"type":"session","version":1,"id":"de')
    run("append", "-s", "demo", "-m", "hi")
    assert fold(parse(lines_of(path.read_bytes()))).id == "demo"


def test_2026_11_22_an_undone_message_could_not_be_appended_again(home):
    line = b'{"id":"a","role":"user","parts":[{"text":"hi"}]}\n'
    for argv in (["append", "--jsonl"], ["undo"], ["append", "--jsonl"]):
        assert run(*argv, "-s", "demo", stdin=line).code == 0
    assert [m.id for m in fold(parse(lines_of(session_path(home, "demo").read_bytes()))).messages] == ["a"]


def test_2026_11_22_a_call_beside_a_providers_own_result_was_taken_for_lost():
    call = {"functionCall": {"id": "c1", "name": "f", "args": {}}}
    result = {"native": {"provider": "openai-responses", "value": {"type": "custom_tool_call_output"}}}
    log = [
        HEADER, message("a"), {**message("m"), "kind": "codeh", "role": "model", "parts": [call]},
        {**message("t"), "kind": "tool", "parts": [result]},
    ]  # fmt: skip
    assert [call.id for call in open_at_end(some.view_of(log).messages)] == ["c1"]
    assert open_at_end(some.view_of([*log, message("b")]).messages) == []
