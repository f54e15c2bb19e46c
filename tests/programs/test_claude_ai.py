"""Claude.ai's exports, each trap of the format by name."""

from in_process import run_in_process
from program_copies import imported_export as imported
from program_copies import short
from program_formats import ClaudeAi, listed, zipped
from support import lines, session_path


def records(home, id="c1"):
    return [r for r in lines(session_path(home, f"claude-ai-{id}")) if r["type"] == "message"]


def texts(home, id="c1"):
    return [short(record) for record in records(home, id)]


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
