"""Claude.ai's exports, each trap of the format by name."""

import pytest

from in_process import run_in_process
from program_copies import imported_export as imported
from program_copies import short
from program_formats import ClaudeAi, listed, saved, zipped
from support import lines, session_path


def records(home, id="c1"):
    return [r for r in lines(session_path(home, f"claude-ai-{id}")) if r["type"] == "message"]


def texts(home, id="c1"):
    return [short(record) for record in records(home, id)]


def test_text_repeats_content_and_stands_alone_in_older_exports(tmp_path):
    talk = ClaudeAi()
    talk.message("a", "human", "one", "two")
    talk.message("b", "assistant", text="three")
    talk.messages[1]["content"] = []
    imported(tmp_path, talk)
    assert texts(tmp_path) == ["one+two", "three"]


def test_an_answer_that_used_tools_is_calls_results_and_what_follows(tmp_path):
    talk = ClaudeAi()
    talk.message("a", "human", "one")
    use = {"type": "tool_use", "id": None, "name": "search", "input": {"q": 1}}
    found = {
        "type": "tool_result",
        "tool_use_id": None,
        "name": "search",
        "content": [{"type": "text", "text": "x"}],
    }
    wrong = {**found, "content": "broken", "is_error": True}
    talk.message("b", "assistant", "see", use, found, use, wrong, "two")
    imported(tmp_path, talk)
    first, second = "see+call call_1", "call call_2"
    assert texts(tmp_path) == ["one", first, "call_1=x", second, "call_2=None", "two"]
    assert [r["id"] for r in records(tmp_path)] == ["a", "b", "b.2", "b.3", "b.4", "b.5"]
    assert records(tmp_path)[4]["parts"][0]["functionResponse"]["response"] == {"error": "broken"}


def test_thinking_voice_notes_and_blocks_that_are_not_sent(tmp_path):
    talk = ClaudeAi()
    talk.message("a", "human", {"type": "voice_note", "title": "Note", "text": "spoken"})
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    talk.message("b", "assistant", thinking, {"type": "token_budget"}, {"type": "hologram"}, "two")
    done = imported(tmp_path, talk)
    assert texts(tmp_path) == ["Note\n\nspoken", "hm+two"]
    assert records(tmp_path)[1]["parts"][0] == {"text": "hm", "thought": True, "thoughtSignature": "s"}
    assert b"not imported: 1 block (token_budget)" in done.err
    assert b"not imported: 1 block (hologram)" in done.err


def test_attached_files_come_with_their_text_or_their_name(tmp_path):
    talk = ClaudeAi()
    attached = [{"file_name": "a.txt", "extracted_content": "abc"}, {"file_name": "b.bin"}]
    talk.message("a", "human", "one", attachments=attached, files=[{"file_name": "p.png"}])
    imported(tmp_path, talk)
    assert texts(tmp_path) == ["[file: a.txt]\nabc+[file: b.bin]+[file: p.png]+one"]


def tree():
    talk = ClaudeAi()
    talk.message("a", "human", "one", parent_message_uuid="00000000-0000-4000-8000-000000000000")
    talk.message("b", "assistant", "first", parent_message_uuid="a")
    talk.message("c", "assistant", "again", parent_message_uuid="a")
    talk.message("d", "human", "more", parent_message_uuid="c")
    return talk


@pytest.mark.parametrize(("leaf", "expected"), [(None, ["one", "again", "more"]), ("b", ["one", "first"])])
def test_parents_tell_the_branch_where_they_are_given(leaf, expected, tmp_path):
    talk = tree()
    talk.about["current_leaf_message_uuid"] = leaf
    done = imported(tmp_path, talk)
    assert texts(tmp_path) == expected
    assert b"of an abandoned branch" in done.err


def test_abandoned_branches_as_sessions_of_their_own(tmp_path):
    path = saved(tmp_path, [tree().value])
    done = run_in_process("import", str(path), "--branches", home=tmp_path)
    assert done.text.split() == ["claude-ai-c1", "claude-ai-c1-b"]
    assert texts(tmp_path, "c1-b") == ["one", "first"]


def test_a_lost_parent_is_named_and_mended(tmp_path):
    talk = tree()
    del talk.messages[2]
    done = imported(tmp_path, talk)
    assert b"the parent of d, c, is not in the export (treated as following b)" in done.err
    assert texts(tmp_path) == ["one", "first", "more"]


def test_the_zip_and_a_newer_export(tmp_path):
    talk = ClaudeAi()
    talk.message("a", "human", "one")
    path = tmp_path / "data.zip"
    path.write_bytes(zipped({"users.json": b"[]", "conversations.json": listed([talk.value])}))
    assert run_in_process("import", str(path), home=tmp_path).text == "claude-ai-c1"
    before = session_path(tmp_path, "claude-ai-c1").read_bytes()
    imported(tmp_path, talk)
    assert session_path(tmp_path, "claude-ai-c1").read_bytes() == before
    talk.message("b", "assistant", "two")
    imported(tmp_path, talk)
    assert texts(tmp_path) == ["one", "two"]
