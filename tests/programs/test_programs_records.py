"""A program's session as records: ids and times are the source's, whoever imports it."""

import pytest

from codeh_history.base.errors import BadData
from codeh_history.programs.model import Entry, Piece, Session, Summary, Used
from codeh_history.programs.records import (
    header,
    lines,
    made_id,
    message,
    records,
    session_id,
    summary,
    time_of,
)
from codeh_history.session.model import SUMMARY_HEAD

TS, LATER = "2026-01-02T03:04:05.000Z", "2026-01-03T03:04:05.000Z"


def entry(id="a", kind="user", ts=TS, **fields):
    return Entry(id, kind, ts, [Piece(3, [{"text": "x"}]), Piece(5, [{"text": "y"}])], fields)


def test_a_message_names_the_lines_that_it_came_from():
    assert message(entry(model="m")) == {
        "type": "message", "id": "a", "ts": TS, "kind": "user", "role": "user", "parts": [{"text": "x"}, {"text": "y"}], "model": "m", "imported": [3, 5],
    }  # fmt: skip
    assert {"ts", "role"}.isdisjoint(message(entry(kind="error", ts=None)))


def test_a_summary_has_the_period_and_the_exchanges_of_what_it_covers():
    before = {
        one.id: one for one in (entry("a"), entry("b", "codeh", None), entry("c", ts=LATER), entry("d"))
    }
    made = summary(
        Summary("S", LATER, f"{SUMMARY_HEAD}\n\nText.", 9, ["a", "b", "c", "lost"]), "pi", before
    )
    assert (
        made["periodStart"],
        made["periodEnd"],
        made["conversationCount"],
        made["summary"],
        made["by"],
    ) == (TS, LATER, 2, "Text.", "pi")
    assert made["covers"] == ["a", "b", "c", "lost"]
    assert {"periodStart", "createdAt"}.isdisjoint(
        summary(Summary("S", None, "Text.", 9, ["lost"]), "pi", before)
    )


@pytest.mark.parametrize(
    ("id", "name"),
    [("abc", "pi-abc"), ("a/b c", "pi-a-b-c"), ("\u00e9", "pi--"), ("x" * 120, "pi-" + "x" * 120)],
)
def test_a_copy_is_called_by_program_and_id(id, name):
    assert session_id(Session("pi", id)) == name


def test_an_id_too_long_for_a_name_is_cut_and_told_apart():
    one, other = (session_id(Session("pi", "x" * 200 + end)) for end in "ab")
    assert one != other
    assert len(one) <= 128
    assert one[:100] == other[:100]


def test_the_header_says_of_what_it_is_a_copy():
    session = Session("pi", "s", version="3", cwd="/w", items=[entry(ts=None), entry("b", ts=LATER)])
    assert header(session, "pi-s", "p") == {
        "type": "session", "version": 1, "id": "pi-s", "created": LATER, "cwd": "/w", "imported": {"from": "pi", "id": "s", "path": "p", "version": "3"},
    }  # fmt: skip
    bare = header(Session("pi", "s", agent=True), "x", "p", {"session": "y", "at": None})
    assert bare["created"] == "1970-01-01T00:00:00.000Z"
    assert bare["parent"] == {"session": "y", "at": None}
    assert bare["imported"]["agent"] is True


def test_records_are_settings_messages_and_what_sub_agents_used():
    session = Session(
        "pi",
        "s",
        created=TS,
        settings={"title": "t"},
        items=[entry()],
        used=lambda: [Used("u", None, {"usage": {"input": 1}})],
    )
    made = list(records(session))
    assert [record["type"] for record in made] == ["meta", "message", "usage"]
    assert made[2]["of"] == "u"
    assert all("imported" in record for record in made)


def test_what_could_not_be_read_back_is_refused():
    deep = 1
    for _ in range(210):
        deep = [deep]
    with pytest.raises(BadData, match="file: a: nested deeper"):
        lines([message(entry(item=deep))], "file")
    with pytest.raises(BadData, match="file: a: a part"):
        lines([{**message(entry()), "parts": [{"text": 5}]}], "file")
    assert lines([message(entry())], "file").endswith(b"\n")


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (TS, TS), ("2026-01-02T03:04:05Z", TS), ("2026-01-02T04:04:05+01:00", TS), (1767323045000, TS), (1767323045000.9, TS), ("x", None), (None, None), (True, None),
        (-1, None), (1e15, None), ([], None), ("2026-13-02T03:04:05.000Z", None),
    ],
)  # fmt: skip
def test_a_time_of_a_source_as_it_is_stored(value, time):
    assert time_of(value) == time


def test_an_id_is_a_function_of_what_it_is_made_of():
    assert made_id("a", "b") == made_id("a", b"b") == made_id("a\0b")
    assert made_id("a", "b") != made_id("ab")
    assert made_id("a", 1) == made_id("a", "1")
    assert made_id("\ud800") != made_id("")
