"""Sub-agents in place: below the call that started them, in whichever file they are."""

import orjson
import pytest

import opencode_files
import program_databases
from codeh_history.base.env import Env
from codeh_history.store.resolve import Target
from codeh_history.views.agents import Agents, interleaved
from codeh_history.views.view import view_of
from program_files import SESSION, Claude, Codex, Gemini, played, written

OTHER = SESSION.replace("1", "2")


@pytest.fixture
def env(home, tmp_path):
    return Env({"CODEH_HOME": str(home), "HOME": str(tmp_path)}, stderr=99)


def shown(env, path):
    """Which message each sub-agent's messages follow, and their texts."""
    view = view_of(env, Target(str(path), ""))
    numbered = list(enumerate(view.messages, 1))
    messages = interleaved(view, [*Agents(env).of(view)], numbered)
    return [
        (message.fields["agent"]["under"], message.fields["agent"]["name"], message.parts[0].get("text"))
        for _, message in messages
        if "agent" in message.fields
    ]


def task(session, uuid, call, prompt):
    block = {"type": "tool_use", "id": call, "name": "Agent", "input": {"prompt": prompt}}
    return session.model(uuid, block)


def agent(prompt, answer):
    file = Claude()
    file.user(f"{answer}-1", prompt, isSidechain=True)
    file.model(f"{answer}-2", answer, isSidechain=True)
    return file


def test_sub_agents_follow_the_call_with_their_prompt(env, tmp_path):
    file = Claude()
    file.user("a", "Go.")
    task(file, "b", "c1", "Look north.")
    task(file, "c", "c2", "Look south.")
    path = file.write(tmp_path)
    below = tmp_path / SESSION / "subagents"
    south = agent("Look south.", "S")
    task(south, "S-3", "c3", "Look behind the barn.")
    south.write(below, "agent-a")
    agent("Look north.", "N").write(below, "agent-b")
    agent("Look behind the barn.", "B").write(below, "agent-c")
    (below / "agent-b.meta.json").write_text('{"agentType": "scout"}')
    assert shown(env, path) == [
        ("2", "scout", "Look north."), ("2", "scout", "N"),
        ("3", None, "Look south."), ("3", None, "S"), ("3", None, None),
        ("3.3", None, "Look behind the barn."), ("3.3", None, "B"),
    ]  # fmt: skip


def test_sub_agent_without_a_matching_call_follows_the_last_call(env, tmp_path):
    file = Claude()
    file.user("a", "Go.")
    task(file, "b", "c1", "Something shorter.")
    file.model("c", "Done.")
    path = file.write(tmp_path)
    late = agent("Look.", "L")
    late.lines[0]["timestamp"] = "2026-01-01T00:00:09.000Z"
    task(late, "L-3", "c2", "Look.")  # to one that is not kept; not to itself
    late.write(tmp_path / SESSION / "subagents", "agent-a")
    assert [under for under, _, _ in shown(env, path)] == ["2", "2", "2"]


def test_sub_agent_in_its_own_file_is_named_by_its_header(env, tmp_path):
    folder = tmp_path / ".codex/sessions/2026/01/01"
    file = Codex()
    file.user("Go.")
    file.item("function_call", name="spawn_agent", call_id="c", arguments='{"message": "Look north."}')
    path = file.write(folder)
    spawn = {"thread_spawn": {"parent_thread_id": SESSION, "agent_role": "scout"}}
    below = played(Codex(id=OTHER, source={"subagent": spawn}), "user Look_north.; model Oats.")
    below.write(folder)
    Codex(id=SESSION.replace("1", "3"), forked_from_id=SESSION).write(folder)
    assert shown(env, path) == [("2", "scout", "Look north."), ("2", "scout", "Oats.")]


def test_sub_agent_in_a_database_is_a_child_session(env, tmp_path):
    file = opencode_files.OpenCode()
    file.user("Go.")
    file.model(opencode_files.tool("c", "done", input={"prompt": "Look north."}))
    below = opencode_files.OpenCode(id="ses_below", parentID=file.info["id"])
    below.user("Look north.", agent="explore")
    below.model("Oats.")
    tables = orjson.loads(orjson.dumps(below.tables).replace(b"msg_", b"msg_9").replace(b"prt_", b"prt_9"))
    path = tmp_path / "opencode.db"
    both = {table: rows + tables[table] for table, rows in file.tables.items()}
    path.write_bytes(program_databases.database(opencode_files.SCHEMA)([both]))
    assert shown(env, path) == [("2", "explore", "Look north."), ("2", "explore", "Oats.")]


def test_imported_sub_agent_replaces_that_of_the_file(env, home, tmp_path):
    file = Claude()
    file.user("a", "Go.")
    task(file, "b", "c1", "Look north.")
    path = file.write(tmp_path)
    agent("Look north.", "N").write(tmp_path / SESSION / "subagents", "agent-a")
    parent = f"claude-code-{SESSION}"
    header = {
        "type": "session", "version": 1, "id": f"{parent}-agent-a", "created": "2026-01-01T00:00:00.000Z",
        "parent": {"session": parent, "at": None},
        "imported": {"from": "claude-code", "id": f"{SESSION}-agent-a", "path": str(path), "agent": True},
    }  # fmt: skip
    turn = {"type": "message", "id": "x", "kind": "user", "role": "user", "parts": [{"text": "[redacted]"}]}
    written(home / "sessions" / f"{parent}-agent-a.jsonl", [header, turn])
    assert [text for _, _, text in shown(env, path)] == ["[redacted]"]


def test_no_sub_agents_without_a_file_or_a_program(env, tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(orjson.dumps({"type": "session", "version": 1, "id": "s"}) + b"\n")
    assert not shown(env, path)
    gone = {"from": "claude-code", "id": SESSION, "path": str(tmp_path / "gone.jsonl")}
    path.write_bytes(orjson.dumps({"type": "session", "version": 1, "id": "s", "imported": gone}) + b"\n")
    assert not shown(env, path)
    assert not shown(env, Gemini().write(tmp_path))


def test_2026_11_26_calls_without_arguments_and_headers_without_a_start(env, home, tmp_path):
    calls = [{"functionCall": {"name": "x"}}, {"functionCall": {"name": "x", "args": ["Look north."]}}]
    records = [
        {"type": "session", "version": 1, "id": "claude-code-a", "imported": {"from": "claude-code", "id": "a", "path": "/gone"}},
        {"type": "message", "id": "m", "kind": "codeh", "role": "model", "parts": calls},
    ]  # fmt: skip
    path = written(home / "sessions" / "claude-code-a.jsonl", records)
    header = {
        "type": "session", "version": 1, "id": "claude-code-a-agent-b", "created": {}, "parent": {"session": "claude-code-a", "at": 7},
        "imported": {"from": "claude-code", "id": "a-agent-b", "agent": True},
    }  # fmt: skip
    parts = [{"text": "Look north."}]
    prompt = {"type": "message", "id": "x", "kind": "user", "role": "user", "parts": parts}
    written(home / "sessions" / "claude-code-a-agent-b.jsonl", [header, prompt])
    assert shown(env, path) == [("1", None, "Look north.")]
