"""`show --follow --jsonl`: what is told of a message as it grows comes to what it is, however it grew."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.commands.show.follow import Changes, added, event_json
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from strategies import encode, files_of, view_of

Parts = list[Any]


def text(text, **more):
    return {"text": text, **more}


@pytest.mark.parametrize(
    ("before", "now", "more"),
    [
        ([], [text("a")], [text("a")]), ([], [], []), ([text("a")], [text("a")], []), ([text("a")], [text("ab")], [text("b")]),
        ([text("a")], [text("a"), text("b", thought=True)], [text("b", thought=True)]),
        ([text("a")], [text("ab"), {"functionCall": {}}], [text("b"), {"functionCall": {}}]), ([text("ab")], [text("a")], None),
        ([text("a")], [text("b")], None), ([text("a")], [], None), ([text("a"), text("b")], [text("x"), text("b")], None),
        ([text("a", thought=True)], [text("ab", thought=True)], [text("b", thought=True)]), ([text("a")], [text("ab", thought=True)], None),
        ([{"functionCall": {"name": "f"}}], [{"functionCall": {"name": "g"}}], None),
        ([text("a"), text("b")], [text("a"), text("bc")], [text("c")]), ([text("a")], [text("a", signed=1)], None),
    ],
)  # fmt: skip
def test_what_was_added_is_told_and_anything_else_is_another_content(before, now, more):
    assert added(before, now) == more


def grown(before, more):
    """As whoever reads the events puts them together: the first may go on with the last text."""
    if not before or not more or "text" not in before[-1] or "text" not in more[0]:
        return before + more
    rest = [{key: value for key, value in part.items() if key != "text"} for part in (before[-1], more[0])]
    if rest[0] != rest[1]:
        return before + more
    return [*before[:-1], {**rest[0], "text": before[-1]["text"] + more[0]["text"]}, *more[1:]]


def told(datas):
    """What is printed of a session that is these bytes, one after the other."""
    changes = Changes()
    views = (fold(parse(lines_of(data))) for data in datas)
    return [
        event_json(event) for view in views for event in changes.update(list(enumerate(view.messages, 1)))
    ]


@given(data=files_of(torn=False), cuts=st.sets(st.integers(1, 30), max_size=4))
def test_whoever_only_reads_the_events_knows_what_is_pending(data, cuts):
    lines = list(lines_of(data))
    datas = [
        b"".join(lines[:cut]) for cut in sorted({*(cut for cut in cuts if cut < len(lines)), len(lines)})
    ]
    known = {}
    committed = {}
    for line in told(datas):
        if "event" not in line:
            committed[line["id"]] = line["parts"]
            known[line["id"]] = line.get("pending", [])
        elif line["event"] == "replace":
            known[line["id"]] = line["parts"]
        elif line["event"] == "delta":
            known[line["id"]] = grown(known.get(line["id"], []), line["parts"])
    view = fold(parse(lines_of(data)))
    for message in view.messages:
        if not message.committed and message.pending:
            assert known[message.id] == message.pending
    assert {m.id for m in view.messages if m.committed} <= committed.keys()


OPEN = {"type": "open", "id": "m", "kind": "codeh", "role": "model"}
DELTAS = [{"type": "delta", "of": "m", "parts": [text(each)]} for each in ("a", "b")]


def test_a_message_is_told_as_it_grows_and_once_when_it_is_there():
    log = [OPEN, *DELTAS, {"type": "commit", "of": "m"}, {"type": "meta", "set": {}}]
    found = told([encode(log[:count]) for count in range(6)])
    whose = {"id": "m", "n": 1, "kind": "codeh", "role": "model"}
    assert found[:3] == [
        {"event": "delta", **whose, "parts": parts} for parts in ([], [text("a")], [text("b")])
    ]
    assert [line["parts"] for line in found[3:]] == [[text("ab")]]


def test_that_no_more_will_come_is_told_once():
    log = [OPEN, DELTAS[0], {"type": "abort", "of": "m", "reason": "cut"}, {"type": "meta", "set": {}}]
    found = told([encode(log[:count]) for count in range(2, 5)])
    assert [(line["event"], line.get("reason")) for line in found] == [("delta", None), ("abort", "cut")]


def test_what_was_there_before_is_not_told_again():
    changes = Changes()
    messages = list(enumerate(view_of([OPEN, DELTAS[0]]).messages, 1))
    assert len(list(changes.update(messages))) == 1
    assert list(changes.update(messages)) == []
    (event,) = changes.update(list(enumerate(view_of([OPEN, *DELTAS]).messages, 1)))
    assert event.more["parts"] == [text("b")]


def test_what_stands_in_the_place_of_what_was_told_is_told_whole():
    log = [OPEN, *DELTAS, {"type": "update", "id": "u", "of": "m", "parts": [text("other")]}]
    last = told([encode(log[:count]) for count in (3, 4)])[-1]
    assert (last["event"], last["parts"]) == ("replace", [text("other")])
