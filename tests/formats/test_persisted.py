"""The persisted history, history entries and history items, both ways, field for field."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history import Session
from codeh_history.formats import export
from codeh_history.formats.entries import entries
from codeh_history.programs.forms import history_items, read
from codeh_history.session.exchanges import IDE_MARKERS
from codeh_history.session.records import dumps
from in_process import run_ok
from strategies import view_of
from support import run
from talks import view

HISTORY = {
    "recentConversations": [
        {"id": "c1", "timestamp": "2026-01-05T10:00:00.000Z", "userMessage": "Create a note about today's meeting",
         "assistantResponse": "I've created 'Meeting Notes.md' in your Journal folder.", "toolsUsed": ["create_note"],
         "source": "direct"},
        {"id": "c2", "timestamp": "2026-01-06T10:00:00.000Z", "userMessage": "Find all notes about project X",
         "assistantResponse": "Found 3 notes:\n- a\n- b\n- c", "toolsUsed": ["search_notes", "search_notes"]},
        {"id": "c3", "timestamp": "2026-01-06T10:05:00Z", "userMessage": "Thanks", "assistantResponse": "",
         "toolsUsed": [], "source": "websocket"},
    ],
    "summaries": [
        {"id": "s1", "createdAt": "2026-01-04T00:00:00.000Z", "periodStart": "2025-12-01T08:00:00.000Z",
         "periodEnd": "2026-01-03T19:00:00.000Z", "summary": "- User creates notes in Journal", "conversationCount": 10},
    ],
    "lastSummarized": "2026-01-04T00:00:00.012Z",
}  # fmt: skip


def through(history):
    """The history as a session, exported again."""
    view = view_of(read(dumps(history), "auto", "f"))
    return orjson.loads(export(view, "persisted").data)


@pytest.mark.parametrize(
    "history",
    [
        HISTORY,
        {"recentConversations": [], "summaries": [], "lastSummarized": None},
        {**HISTORY, "summaries": [], "lastSummarized": None},
        {**HISTORY, "recentConversations": []},
        {**HISTORY, "lastSummarized": "2026-01-04T00:00:00.000Z"},
    ],
)
def test_export_inverts_import(history, home, tmp_path):
    assert through(history) == history
    file = tmp_path / "data.json"
    file.write_bytes(orjson.dumps(history, option=orjson.OPT_INDENT_2))
    assert run("import", file, "--from", "persisted", "--into", "old").text == "old"
    out = run("export", "old", "--to", "persisted")
    assert orjson.loads(out.out) == history
    if history["recentConversations"] or history["summaries"]:
        assert [*orjson.loads(out.out)] == ["recentConversations", "summaries", "lastSummarized"]
    assert orjson.loads(run("export", file, "--to", "persisted").out) == history  # read where it is


TEXTS = st.text(max_size=40).filter(
    lambda text: not any(m in text for m in IDE_MARKERS) and not text.startswith("System:")
)
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {
            "userMessage": TEXTS,
            "assistantResponse": TEXTS,
            "toolsUsed": st.lists(st.sampled_from(["a", "b"]), max_size=3),
        },
        optional={"source": st.sampled_from(["websocket", "direct"])},
    ),
    max_size=6,
)


@given(ENTRIES)
def test_any_exchanges_round_trip(entries):
    recent = [
        {"id": f"c{n}", "timestamp": "2026-01-05T10:00:00.000Z", **entry} for n, entry in enumerate(entries)
    ]
    history = {"recentConversations": recent, "summaries": [], "lastSummarized": None}
    assert through(history) == history


def test_equal_entries_without_ids_stay_distinct():
    entry = {"userMessage": "again", "assistantResponse": "yes", "toolsUsed": []}
    back = through(
        {"recentConversations": [entry, entry], "summaries": [{"summary": "a"}, {"summary": "a"}]}
    )
    assert [e["userMessage"] for e in back["recentConversations"]] == ["again", "again"]
    assert len({e["id"] for e in back["recentConversations"]}) == 2
    assert len(back["summaries"]) == 2


@pytest.mark.parametrize(
    "odd",
    [
        {"recentConversations": None},
        {"recentConversations": ["x", 3, None]},
        {"recentConversations": [{"userMessage": None, "assistantResponse": None, "toolsUsed": None}]},
        {"recentConversations": [], "summaries": {"a": 1}, "lastSummarized": 7},
        {
            "recentConversations": [],
            "summaries": [{"summary": 7}, {"id": 1, "summary": "x", "covers": None}],
        },
    ],
)
def test_odd_histories_lose_only_odd_entries(odd):
    back = through(odd)
    assert [*back] == ["recentConversations", "summaries", "lastSummarized"]
    assert "None" not in str([e["userMessage"] for e in back["recentConversations"]])


# -- exchanges --------------------------------------------------------------------------------------


@pytest.mark.parametrize("last, expected", [((), 3), (("-n", "20"), 3), (("-n", "2"), 2), (("-n", "1"), 1)])
def test_the_last_exchanges(home, tmp_path, last, expected):
    file = tmp_path / "data.json"
    file.write_bytes(dumps(HISTORY))
    exported = orjson.loads(run("export", file, "--to", "exchanges", *last).out)
    assert exported == HISTORY["recentConversations"][-expected:]


Q = {"role": "user", "parts": [{"text": "q"}]}
THOUGHT = {"role": "model", "parts": [{"text": "a", "thought": True}]}
BUSY = {"type": "message", "id": "e", "kind": "error", "parts": [{"text": "429"}]}


def model(text):
    return {"role": "model", "parts": [{"text": text}]}


@pytest.mark.parametrize(
    "records, expected",
    [
        ([], []), ([model("hello")], [("", "hello")]), ([Q], [("q", "")]), ([Q, THOUGHT], [("q", "")]),
        ([Q, model("a"), model("b")], [("q", "a\n\nb")]), ([Q, BUSY], [("q", "")]),
    ],
)  # fmt: skip
def test_odd_exchanges(records, expected):
    assert [(e["userMessage"], e["assistantResponse"]) for e in entries(view(records).messages)] == expected


def test_session_round_trips_through_items(home, tmp_path):
    (tmp_path / "a.txt").write_text("attached")
    session = Session.open("a", create=True, home=home)
    session.append("look", attach=str(tmp_path / "a.txt"))
    session.append(call="ls", args={"p": "."}, call_id="c1")
    session.append("a b", result="ls")
    session.append("note", kind="info")
    session.append("so far", role="model", pending=True)
    (tmp_path / "items.json").write_bytes(session.export("history-items"))
    run_ok("import", tmp_path / "items.json", "--into", "b", home=home)
    again = Session.open("b", home=home)
    assert again.export("history-items") == session.export("history-items")
    copies = [[(m["id"], m["kind"], m["parts"]) for m in each.messages] for each in (session, again)]
    assert copies[0] == copies[1]
    assert history_items.holds(orjson.loads(session.export("history-items"))[0])


def test_item_message_has_all_fields(home):
    run_ok("append", "-s", "a", "-m", "hi", home=home, env={"CODEH_NOW": "2026-01-01T00:00:00.000Z"})
    (item,) = orjson.loads(run_ok("export", "a", "--to", "history-items", home=home).out)
    id = item["committed"]["metadata"]["id"]
    assert item["pending"] is None
    assert item["committed"] == {
        "type": "user",
        "text": "hi",
        "timestamp": 1767225600000,
        "metadata": {"id": id},
    }
