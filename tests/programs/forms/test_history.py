"""Persisted histories with entries that are none: each named by its place, kept, and nothing of the others lost."""

import orjson
import pytest

from inside import inside
from support import lines, session_path

ENTRY = {
    "id": "c1", "timestamp": "2026-01-05T10:00:00.000Z", "userMessage": "Make a note",
    "assistantResponse": "Done.", "toolsUsed": ["create_note"],
}  # fmt: skip
SUMMARY = {
    "id": "s1", "createdAt": "2026-01-04T00:00:00.000Z", "periodStart": "2026-01-01T00:00:00.000Z",
    "periodEnd": "2026-01-02T00:00:00.000Z", "summary": "- notes", "conversationCount": 10,
}  # fmt: skip


def history(*recent, summaries=(), **more):
    return {"recentConversations": [*recent], "summaries": [*summaries], "lastSummarized": None, **more}


def imported(home, value, *argv):
    file = home.parent / "data.json"
    file.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2))
    return inside("import", str(file), "--into", "old", *argv, home=home)


def exported(home, to="persisted", session="old"):
    return orjson.loads(inside("export", session, "--to", to, home=home).out)


WRONG = {
    "an object that is none": (history(ENTRY, {"bogus": 1}), "recentConversations[1]: `userMessage` is missing", {"bogus": 1}),
    "a number": (history(7, ENTRY), "recentConversations[0]: not an entry", 7),
    "null": (history(ENTRY, None), "recentConversations[1]: not an entry", None),
    "a text": (history("hi", ENTRY), "recentConversations[0]: not an entry", "hi"),
    "a list": (history(ENTRY, [ENTRY]), "recentConversations[1]: not an entry", [ENTRY]),
    "no texts": (history(ENTRY, {**ENTRY, "userMessage": 7}), "recentConversations[1]: ", {**ENTRY, "userMessage": 7}),
    "no list": (history(ENTRY, summaries=[], lastSummarized=7), "lastSummarized: a time", 7),
    "a broken summary": (history(ENTRY, summaries=[SUMMARY, {"id": "x"}]), "summaries[1]: `summary` is", {"id": "x"}),
    "a time that is none": (history(ENTRY, {**ENTRY, "timestamp": "tomorrow"}), "[1]: `timestamp` is not", {**ENTRY, "timestamp": "tomorrow"}),
    "tools that are no list": (history(ENTRY, {**ENTRY, "toolsUsed": "a"}), "[1]: `toolsUsed` must", {**ENTRY, "toolsUsed": "a"}),
    "a tool that is no name": (history(ENTRY, {**ENTRY, "toolsUsed": [7]}), "[1]: `toolsUsed` must", {**ENTRY, "toolsUsed": [7]}),
    "another source": (history(ENTRY, {**ENTRY, "source": "ftp"}), "[1]: `source` must be one of", {**ENTRY, "source": "ftp"}),
    "an id that is a number": (history(ENTRY, {**ENTRY, "id": 7}), "[1]: `id` must be text", {**ENTRY, "id": 7}),
    "a summary's count": (history(ENTRY, summaries=[{**SUMMARY, "conversationCount": "3"}]), "summaries[0]: `conv", {**SUMMARY, "conversationCount": "3"}),
    "a summary of no text": (history(ENTRY, summaries=[{"summary": 7}]), "summaries[0]: `summary` must", {"summary": 7}),
    "a summary that is a text": (history(ENTRY, summaries=["tea"]), "summaries[0]: not a summary", "tea"),
    "summaries that are none": ({**history(ENTRY), "summaries": {"a": 1}}, "summaries: `summary` is missing", {"a": 1}),
}  # fmt: skip


@pytest.mark.parametrize(("value", "reason", "kept"), WRONG.values(), ids=WRONG)
def test_a_bad_entry_is_named_by_its_place_and_kept(home, value, reason, kept):
    done = imported(home, value)
    assert done.code == 0
    assert reason in done.err.decode()
    unread = [record for record in lines(session_path(home, "old")) if record["type"] == "unread"]
    assert [record["value"] for record in unread] == [kept]
    assert exported(home)["recentConversations"] == [ENTRY]
    for argv in (("show",), ("export", "--to", "persisted"), ("verify",)):
        told = inside(argv[0], str(home.parent / "data.json"), *argv[1:], home=home)
        assert reason in (told.err + told.out).decode(), argv


@pytest.mark.parametrize(("value", "reason", "kept"), WRONG.values(), ids=WRONG)
def test_a_bad_entry_is_exit_65_under_strict(home, value, reason, kept):
    done = imported(home, value, "--strict")
    assert (done.code, done.out) == (65, b"")
    assert reason in done.err.decode()
    assert not session_path(home, "old").exists()
    assert inside("show", str(home.parent / "data.json"), "--strict", home=home).code == 65


def test_bad_entries_survive_a_filter(home):
    imported(home, history(ENTRY, {"bogus": 1}))
    assert b'"value":{"bogus":1}' in inside("curate", "old", home=home).out


def test_many_bad_entries_are_each_named_up_to_twenty(home):
    told = imported(home, history(*range(25))).err.decode()
    assert all(f"recentConversations[{number}]: " in told for number in range(20))
    assert "and 5 more" in told


ODD = {
    "unknown fields": {"mood": "glad", "parts": [1], "type": "x", "role": 7, "id2": None},
    "a field that is null": {"source": None},
    "epoch milliseconds": {"timestamp": 1767600000000},
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("to", ["persisted", "exchanges"])
def test_what_an_entry_says_besides_comes_back(home, odd, to):
    entry = {**ENTRY, **odd}
    assert imported(home, history(entry)).code == 0
    found = exported(home, to)
    assert (found["recentConversations"] if to == "persisted" else found) == [entry]


@pytest.mark.parametrize(
    "odd",
    [{"weight": 3, "covers": ["c1"], "type": "weekly"}, {"periodStart": None}],
)  # fmt: skip
def test_what_a_summary_says_besides_comes_back_and_hides_nothing(home, odd):
    assert imported(home, history(ENTRY, summaries=[{**SUMMARY, **odd}])).code == 0
    found = exported(home)
    assert found["summaries"] == [{**SUMMARY, **odd}]
    assert found["recentConversations"] == [ENTRY]


def test_what_the_file_says_besides_comes_back(home):
    value = history(ENTRY, version=2, settings={"a": 1})
    imported(home, value)
    assert exported(home) == value


def test_entries_of_one_id_are_all_there(home):
    """In a log the second of one id would take the place of the first."""
    second = {**ENTRY, "userMessage": "Make another"}
    third = {**ENTRY, "id": "c1-answer", "userMessage": "A third"}
    summary = {**SUMMARY, "id": "c1"}
    done = imported(home, history(ENTRY, second, third, summaries=[summary]))
    assert b"recentConversations[0]: `id` is that of summaries[0] too" in done.err
    assert exported(home)["recentConversations"] == [ENTRY, second, third]
    assert exported(home)["summaries"] == [summary]


def test_an_appended_exchange_keeps_what_it_says_besides(home):
    entry = {**ENTRY, "mood": "glad"}
    assert inside("append", "-s", "old", "--exchange", "-", home=home, stdin=orjson.dumps(entry)).code == 0
    assert exported(home, "exchanges") == [entry]


def test_a_list_of_exchanges_is_imported_too(home):
    other = {**ENTRY, "id": "c2", "mood": "glad"}
    imported(home, [ENTRY, other])
    assert exported(home, "exchanges") == [ENTRY, other]


def test_a_history_with_a_line_end_in_it_is_read_where_it_stands(home):
    file = home.parent / "data.json"
    file.write_bytes(orjson.dumps(history(ENTRY)).replace(b',"summaries"', b',\n"summaries"'))
    assert exported(home, session=str(file)) == history(ENTRY)


def test_tools_of_imported_exchanges_stand_in_the_prompt_and_in_the_outline(home):
    entries = [{**ENTRY, "id": f"c{n}", "toolsUsed": ["file_note", "search_notes"]} for n in range(60)]
    imported(home, history(*entries))
    asked = home.parent / "asked"
    via = f"cat > {asked}; echo 'The user made notes with file_note.'"
    inside("summarize", "old", "-i", "--via", via, home=home, env={"PATH": "/usr/bin:/bin"})
    assert "Assistant: Done.\nTools used: file_note, search_notes" in asked.read_text()
    inside("undo", "-s", "old", home=home)
    assert inside("summarize", "old", "-i", home=home).code == 0
    assert "Done:\n- used file_note, search_notes" in exported(home)["summaries"][-1]["summary"]
