"""Kimi Code's files, each trap by name."""

import hashlib
import json

import orjson
import pytest

from codeh_history.session.model import SUMMARY_HEAD
from in_process import run_in_process, run_ok
from kimi_files import ID, Kimi, image, kimi_cli, sample
from program_copies import sent
from program_files import played
from support import lines, session_path

COPY = f"kimi-code-{ID}"


def laid(home, file, name="main"):
    """An agent's file where the program keeps it."""
    session = home / ".kimi-code" / "sessions" / "wd_work_0" / f"session_{ID}"
    path = file.write(session / "agents" / name)
    state = {"cwd": "/work", "createdAt": 1767225600000, "title": "A title", "forkedFrom": "session_other"}
    (session / "state.json").write_text(json.dumps(state))
    return path


def test_a_session_is_the_context_that_its_events_leave(tmp_path):
    laid(tmp_path, sample())
    (done,) = run_ok("import", "--all", home=tmp_path, env={"HOME": str(tmp_path)}).lines
    assert (done["session"], done["program"]) == (COPY, "kimi-code")
    summary, *others = sent(tmp_path, COPY)
    assert summary.endswith("in short")
    of_c = {"output": "of C"}
    assert others == ["one", "four", "six", "C", of_c, "seven, typed while it worked", "eight"]


def test_the_title_directory_and_origin_are_said_beside_it(tmp_path):
    run_ok("import", str(laid(tmp_path, sample())), home=tmp_path)
    header, meta, *_ = lines(session_path(tmp_path, COPY))
    assert (header["cwd"], header["parent"]["session"]) == ("/work", "kimi-code-other")
    assert meta["set"]["title"] == "A title"


def test_what_was_undone_and_sub_agents_are_branches(tmp_path):
    laid(tmp_path, played(Kimi(), 'user a look kind="system_trigger"; step s It_looked.'), "agent-0")
    path = laid(tmp_path, sample())
    done = run_ok("import", str(path), "--branches", home=tmp_path)
    _, undone, of_agent = done.text.split()
    assert [*sent(tmp_path, undone)][-2:] == ["taken back", "of it"]
    assert of_agent == f"kimi-code-{ID}-agent-0"
    assert [*sent(tmp_path, of_agent)] == ["look", "It looked."]


def test_a_large_file_is_read_from_beside_the_agent(tmp_path):
    file = Kimi()
    file.user("a", "look", image("blobref:image/png;0af1"), image("blobref:image/png;dead"))
    path = laid(tmp_path, file)
    (path.parent / "blobs").mkdir()
    (path.parent / "blobs" / "0af1").write_bytes(b"\x89PNG")
    done = run_ok("import", str(path), home=tmp_path)
    assert b"blobs/dead: is not there (its name is used instead)" in done.err
    message = lines(session_path(tmp_path, COPY))[2]
    assert message["parts"][1] == {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}


def test_the_program_forgets_what_follows_a_line_that_is_not_json(tmp_path):
    path = laid(tmp_path, sample())
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*whole[:6], b'{"type":\n', *whole[6:]]))
    done = run_in_process("verify", str(path), home=tmp_path)
    assert (done.code, b"Kimi Code forgets everything after it" in done.out) == (1, True)


def test_a_step_without_its_beginning_is_read_and_reported(tmp_path):
    file = played(Kimi(), "user a one; step s1 two")
    file.lines = [line for line in file.lines if line.get("event", {}).get("type") != "step.begin"]
    path = laid(tmp_path, file)
    problems = run_in_process("verify", str(path), home=tmp_path).out
    assert b"without a beginning: Kimi Code drops it" in problems
    run_ok("import", str(path), home=tmp_path)
    assert [*sent(tmp_path, COPY)] == ["one", "two"]


def test_a_repeated_line_counts_once(tmp_path):
    file = sample()
    file.lines.insert(3, file.lines[2])
    path = laid(tmp_path, file)
    assert (
        b"line 4: the same as line 3: Kimi Code sends it twice"
        in run_in_process("verify", str(path), home=tmp_path).out
    )
    run_ok("import", str(path), home=tmp_path)
    assert [*sent(tmp_path, COPY)].count("one") == 1


# -- its predecessor ---------------------------------------------------------------------------------------


def test_a_context_of_kimi_cli_is_what_it_would_send(tmp_path):
    folder = tmp_path / ".kimi" / "sessions" / hashlib.md5(b"/work").hexdigest() / ID
    context = Kimi()
    context.lines = kimi_cli()
    context.write(folder, "context.jsonl")
    context.write(folder, "context_1.jsonl")
    context.write(folder / "subagents" / "a1", "context.jsonl")
    (folder / "state.json").write_text(json.dumps({"custom_title": "A title"}))
    (tmp_path / ".kimi" / "kimi.json").write_text(
        json.dumps({"work_dirs": [{"path": "/"}, {"path": "/work"}]})
    )
    (done,) = run_ok("import", "--all", home=tmp_path, env={"HOME": str(tmp_path)}).lines
    assert (done["session"], done["left"]["earlier context in a file of its own"]) == (f"kimi-cli-{ID}", 1)
    (row,) = orjson.loads(run_ok("list", "--json", home=tmp_path).text)
    assert (row["title"], row["cwd"]) == ("A title", "/work")
    of_a = {"output": "<system>2 lines</system>\nof A"}
    of_b = {"output": "<system>ERROR: not there</system>"}
    left = ["one", "image", "hm", "two", "A", "B", of_a, of_b, "three", "four"]
    assert [*sent(tmp_path, f"kimi-cli-{ID}")] == left
    branches = run_ok("import", str(folder / "context.jsonl"), "--branches", home=tmp_path).text.split()
    assert branches[-1] == f"kimi-cli-{ID}-a1"


def test_calls_of_older_versions_are_nested(tmp_path):
    file = Kimi()
    function = {"name": "Read", "arguments": '{"path":"a.txt"}'}
    message = {"role": "assistant", "content": [], "toolCalls": [{"id": "A", "function": function}]}
    file.line("context.append_message", message=message)
    run_ok("import", str(laid(tmp_path, file)), home=tmp_path)
    (record,) = lines(session_path(tmp_path, COPY))[2:]
    assert record["parts"] == [{"functionCall": {"id": "A", "name": "Read", "args": {"path": "a.txt"}}}]


HOLOGRAM = 'message={"role":"user","content":[{"type":"hologram"}],"id":"b","origin":{"kind":"user"}}'
UNREAD = f'user a one; step s1 two; line type="context.append_message" {HOLOGRAM}; step s2 four; '
SPOKEN = "user a one; step s two; compacted in_short"
TYPED = 'user a one; step s1 two; user b three; user c and_this kind="user" inTurn=true'
SHORTENED = 'line type="context.apply_compaction" summary="s"'
FIVE = "; ".join(f"user u{n} prompt_{n}; step s{n} answer_{n}" for n in range(5))
VIEWS = {  # what is sent of the lines that these steps write
    "a compaction keeps the prompts that it counts": (
        f"{FIVE}; compacted in_short compactedCount=10 keptUserMessageCount=3 keptHeadUserMessageCount=1",
        ["in short", "prompt 0", "prompt 3", "prompt 4"]),
    "what was compacted is gone when the context is cleared": (
        f"{SPOKEN} compactedCount=2 keptUserMessageCount=0; line context.clear; user z again", ["again"]),
    "a prompt that was typed during a turn is undone with it": (
        f"{TYPED}; step s2 four; line context.undo count=1", ["one", "two"]),
    "2026-11-26: a prompt that is not imported is undone": (
        UNREAD + "line context.undo count=1; user z again", ["one", "two", "again"]),
    "2026-11-26: it is the one that a compaction keeps": (
        f"{UNREAD}{SHORTENED} keptUserMessageCount=1; user z again", ["s", "again"]),
    "2026-11-26: it is one of two that a compaction keeps": (
        f"{UNREAD}{SHORTENED} keptUserMessageCount=2; user z again", ["s", "one", "again"]),
}  # fmt: skip


@pytest.mark.parametrize(("script", "left"), VIEWS.values(), ids=VIEWS)
def test_what_is_sent(script, left, tmp_path):
    run_ok("import", str(laid(tmp_path, played(Kimi(), script))), home=tmp_path)
    assert [text.removeprefix(f"{SUMMARY_HEAD}\n\n") for text in sent(tmp_path, COPY)] == left
