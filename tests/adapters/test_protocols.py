"""Adapters that need no package: what they promise, without it."""

import asyncio
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapted import CASES, ITEMS, together
from codeh_history import BadData
from codeh_history.adapters.claude_agent_sdk import SessionStore
from codeh_history.adapters.native_history import exact_json
from codeh_history.adapters.openai_agents import Session
from in_process import run_in_process, run_ok, summarized
from length import examples


def demo(home):
    return Session("demo", home)


def items(home, limit=None):
    return asyncio.run(demo(home).get_items(limit))


# -- openai-agents ----------------------------------------------------------------------------------


def test_items_round_trip(home):
    assert items(home) == []
    asyncio.run(demo(home).add_items([]))
    assert not (home / "sessions").exists()
    for item in ITEMS[:3]:
        asyncio.run(demo(home).add_items([item]))
    asyncio.run(demo(home).add_items(ITEMS[3:]))
    assert items(home) == ITEMS
    assert items(home, 2) == ITEMS[-2:]
    assert items(home, 0) == []


def test_commands_see_the_content_of_items(home):
    asyncio.run(demo(home).add_items(ITEMS[:5]))
    asyncio.run(demo(home).add_items(ITEMS[5:7]))
    shown = run_in_process("show", "demo", "--jsonl").lines
    assert [message["kind"] for message in shown] == "user user user codeh codeh tool codeh".split()
    assert shown[5]["parts"] == [
        {"functionResponse": {"id": "c1", "name": "ls", "response": {"output": "a.txt"}}}
    ]
    run_ok("verify", "demo")
    for provider in ("gemini", "anthropic", "openai-chat", "openai-responses"):
        body = run_in_process("payload", "demo", "--to", provider, "--model", "m", "--prefill")
        assert (body.code, b"A file." in body.out) == (0, True)


def test_undo_reverts_pop_and_clear(home):
    session = demo(home)

    async def work():
        assert await session.pop_item() is None
        await session.clear_session()
        await session.add_items(ITEMS)
        assert await session.pop_item() == ITEMS[-1]
        assert await session.pop_item() == ITEMS[-2]
        assert await session.get_items() == ITEMS[:-2]
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None
        await session.add_items(ITEMS[:1])
        assert await session.get_items() == ITEMS[:1]

    asyncio.run(work())
    for _ in range(2):
        run_ok("undo", "-s", "demo")
    assert items(home) == ITEMS[:-2]


def test_appends_and_changes_by_commands_are_seen(home):
    asyncio.run(demo(home).add_items(ITEMS[:1]))
    run_in_process("update", ":1", "-s", "demo", "-m", "Changed.")
    for argv in (["-m", "From a shell."], ["--call", "ls", "--args", '{"a":1}', "--call-id", "k"]):
        run_ok("append", "-s", "demo", *argv)
    read = items(home)
    assert [item.get("content") for item in read] == ["Changed.", "From a shell.", None]
    assert (read[2]["type"], read[2]["call_id"]) == ("function_call", "k")
    assert json.loads(read[2]["arguments"]) == {"a": 1}


def test_pop_removes_one_item_of_a_message(home):
    call = {"functionCall": {"id": "k", "name": "ls", "args": {}}}
    line = {"role": "model", "parts": [{"text": "I look."}, call]}
    run_in_process("append", "-s", "demo", "-m", "Look.")
    run_in_process("append", "-s", "demo", "--jsonl", stdin=json.dumps(line).encode() + b"\n")
    before = items(home)
    assert len(before) == 3
    assert asyncio.run(demo(home).pop_item()) == before[2]
    assert items(home) == before[:2]


def test_agent_continues_after_compact_and_summarize(home):
    many = [{"role": "user", "content": "Never touch billing. Begin."}]
    for number in range(12):
        own = {"call_id": f"c{number}"}
        many += [
            {"type": "function_call", **own, "name": "read", "arguments": f'{{"path": "{number}.txt"}}'},
            {"type": "function_call_output", **own, "output": f"line {number}\n" * 200},
        ]
    asyncio.run(demo(home).add_items([*many, {"role": "user", "content": "And now?"}]))
    run_ok("compact", "demo", "-i", "--budget", "3k", "--counter", "approx")
    left = items(home)
    assert len(json.dumps(left)) < len(json.dumps(many)) / 3
    assert left[-1] == {"role": "user", "content": "And now?"}
    calls = {item["call_id"] for item in left if item.get("type") == "function_call"}
    assert calls == {item["call_id"] for item in left if item.get("type") == "function_call_output"}
    run_in_process("undo", "-s", "demo")
    assert items(home)[:-1] == many
    assert summarized("demo", home).code == 0
    assert [item["role"] for item in items(home)] == ["user", "user"]  # the summary, and the newest
    run_ok("persist", "demo", "-i", "--all")
    assert items(home)[-1] == {"role": "user", "content": "And now?"}


def test_two_processes_lose_and_mix_nothing(home):
    script = """
import asyncio, sys
from codeh_history.adapters.openai_agents import Session
async def main():
    session = Session("demo", sys.argv[1])
    for n in range(15):
        await session.add_items([{"role": "user", "content": f"{sys.argv[2]} {n} {m}"} for m in range(2)])
asyncio.run(main())
"""
    together(script, home)
    read = [item["content"].split() for item in items(home)]
    assert len(read) == 60
    assert [one[:2] for one in read[::2]] == [other[:2] for other in read[1::2]]  # a batch is whole
    for who in "01":
        assert [int(n) for name, n, m in read if name == who and m == "0"] == list(range(15))


def test_concurrent_calls_are_stored_in_order(home):
    async def work():
        session = demo(home)
        await asyncio.gather(*(session.add_items([{"role": "user", "content": str(n)}]) for n in range(20)))

    asyncio.run(work())
    assert [item["content"] for item in items(home)] == [str(n) for n in range(20)]


def test_unstorable_items_are_refused(home):
    assert exact_json({"a": (1, 2)}, "x") == {"a": [1, 2]}
    for value in (float("nan"), 2**70, {1, 2}, object()):
        with pytest.raises(BadData):
            asyncio.run(demo(home).add_items([ITEMS[0], {"role": "user", "content": "x", "odd": value}]))
    assert items(home) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8,
)  # fmt: skip
KNOWN = st.sampled_from(
    [item for item in ITEMS if isinstance(item["content" if "content" in item else "type"], str)]
)

FIELDS = st.text() | st.sampled_from(["role", "content", "call_id", "output", "id", "name"])


@settings(max_examples=examples(25))
@given(st.lists(st.tuples(KNOWN, st.dictionaries(FIELDS, VALUES, max_size=4)), max_size=4))
def test_any_item_round_trips(drawn):
    wanted = [{**item, **more} for item, more in drawn]
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(demo(Path(home)).add_items(wanted))
        assert items(Path(home)) == wanted
        if wanted:
            assert run_in_process(
                "payload", "demo", "--to", "gemini", "--prefill", "--unanswered", "stub", home=home
            ).code in (0, 65)


def test_session_continues_in_a_fork(home):
    script = """
import asyncio, os, sys
from codeh_history.adapters.openai_agents import Session
session = Session("demo", sys.argv[1])
asyncio.run(session.add_items([{"role": "user", "content": "parent"}]))
child = os.fork()
asyncio.run(session.add_items([{"role": "user", "content": "parent" if child else "child"}]))
if child:
    assert os.waitpid(child, 0)[1] == 0
else:
    os._exit(0)
"""
    together(script, home, 1)
    assert sorted(item["content"] for item in items(home)) == ["child", "parent", "parent"]


def test_redaction_covers_stored_values(home):
    key = "sk-proj-" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3"
    asyncio.run(demo(home).add_items([{"role": "user", "content": f"It is {key}", "metadata": {"k": key}}]))
    run_ok("redact", "demo", "-i", "--yes")
    assert key not in json.dumps(items(home))
    assert key.encode() not in (home / "sessions" / "demo.jsonl").read_bytes()


# -- claude-agent-sdk -------------------------------------------------------------------------------

KEY = {"project_key": "-work-demo", "session_id": "5e551000-0000-4000-8000-00000000c1a0"}


def test_entries_round_trip_equal(home):
    entries = [
        {"type": "user", "uuid": "a", "n": 2**70, "f": 0.1, "t": "é\u2028\n", "half": "\ud800"},
        {"type": "custom-title", "customTitle": "x"},
        {"type": "custom-title", "customTitle": "x"},
        {"type": "user", "uuid": "b", "deep": [[[{}]]], "none": None},
    ]
    store = SessionStore(home)
    asyncio.run(store.append(KEY, entries[:2]))
    asyncio.run(store.append(KEY, entries[2:]))
    assert asyncio.run(SessionStore(home).load(KEY)) == entries


def test_retry_from_anywhere_is_stored_once(home):
    batch = [{"type": "user", "uuid": "a"}, {"type": "user", "uuid": "b"}, {"type": "user", "uuid": "a"}]
    store, other = SessionStore(home), SessionStore(home)
    for each in (store, other, store):
        asyncio.run(each.append(KEY, batch))
    asyncio.run(other.append(KEY, [{"type": "user", "uuid": "c"}]))
    asyncio.run(store.append(KEY, [{"type": "user", "uuid": "c"}, {"type": "user", "uuid": "d"}]))
    assert [entry["uuid"] for entry in asyncio.run(store.load(KEY)) or ()] == ["a", "b", "c", "d"]


def test_torn_line_is_skipped(home):
    store = SessionStore(home)
    asyncio.run(store.append(KEY, [{"type": "user", "uuid": "a"}]))
    with Path(store.path(KEY)).open("ab") as file:
        file.write(b'{"type":"user","uuid":"to')
    asyncio.run(SessionStore(home).append(KEY, [{"type": "user", "uuid": "b"}]))
    assert [entry["uuid"] for entry in asyncio.run(store.load(KEY)) or ()] == ["a", "b"]


def test_full_disk_keeps_existing_entries(home):
    script = """
import asyncio, resource, signal, sys
from codeh_history import InputOutput
from codeh_history.adapters.claude_agent_sdk import SessionStore
store = SessionStore(sys.argv[1])
key = {"project_key": "-work-demo", "session_id": "5e551000-0000-4000-8000-00000000c1a0"}
asyncio.run(store.append(key, [{"type": "user", "uuid": "a"}]))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
try:
    asyncio.run(store.append(key, [{"type": "user", "uuid": "b", "text": "x" * 9000}]))
except InputOutput as error:
    assert "nothing was stored" in str(error)
else:
    raise SystemExit("it was stored")
asyncio.run(store.append(key, [{"type": "user", "uuid": "c"}]))
"""
    together(script, home, 1)
    assert [entry["uuid"] for entry in asyncio.run(SessionStore(home).load(KEY)) or ()] == ["a", "c"]


def test_deleted_sessions_are_in_the_trash(home):
    store = SessionStore(home)
    below = {**KEY, "subpath": "subagents/agent-1"}
    for key in (KEY, below):
        asyncio.run(store.append(key, [{"type": "user", "uuid": "a"}]))
    asyncio.run(store.delete(KEY))
    assert asyncio.run(store.load(KEY)) is asyncio.run(store.load(below)) is None
    assert len(list((home / "claude-code" / "trash").rglob("*.jsonl"))) == 2
    asyncio.run(store.append(KEY, [{"type": "user", "uuid": "a"}]))
    assert len(asyncio.run(store.load(KEY)) or ()) == 1
    asyncio.run(store.delete(KEY))  # without sub-agents
    assert asyncio.run(store.load(KEY)) is None


def test_files_are_private(home):
    store = SessionStore(home)
    asyncio.run(store.append(KEY, [{"type": "user", "uuid": "a"}]))
    path = Path(store.path(KEY))
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_two_processes_store_each_entry_once(home):
    script = """
import asyncio, sys
from codeh_history.adapters.claude_agent_sdk import SessionStore
async def main():
    store = SessionStore(sys.argv[1])
    key = {"project_key": "-work-demo", "session_id": "5e551000-0000-4000-8000-00000000c1a0"}
    for n in range(30):
        await store.append(key, [{"type": "user", "uuid": f"both {n}"}, {"type": "user", "uuid": f"{sys.argv[2]} {n}"}])
asyncio.run(main())
"""
    together(script, home)
    ids = [entry["uuid"] for entry in asyncio.run(SessionStore(home).load(KEY)) or ()]
    assert len(ids) == len(set(ids)) == 90
    for who in ("0", "1", "both"):
        assert [int(id.split()[1]) for id in ids if id.split()[0] == who] == list(range(30))


@pytest.mark.parametrize("name", ["compacted", "rewound-to-branch", "parallel-late", "sub-agent"])
def test_transcript_is_read_as_a_session(home, name):
    """Trees, compactions, parallel calls: by the very reader of Claude Code's own files."""
    (file,) = CASES.joinpath(name).glob("*.jsonl")
    store = SessionStore(home)
    for source in (file, *file.with_suffix("").rglob("*.jsonl")):
        below = source.relative_to(file.with_suffix("")).with_suffix("") if source != file else None
        key = {**KEY, **({"subpath": str(below)} if below else {})}
        entries = [json.loads(line) for line in source.read_text().splitlines()]
        asyncio.run(store.append(key, entries))
        assert asyncio.run(store.load(key)) == entries
    for argv in (["show", "--jsonl"], ["payload", "--to", "anthropic", "--model", "m", "--prefill"]):
        mine, theirs = (run_in_process(argv[0], path, *argv[1:]) for path in (store.path(KEY), str(file)))
        assert (mine.code, mine.out) == (0, theirs.out)
    argv = ["import", "--all", "--from", "claude-code"]
    run_ok(*argv, env={"CLAUDE_CONFIG_DIR": str(home / "claude-code")})
    listed = run_in_process("list", "--jsonl").lines
    assert [session["id"] for session in listed if session["id"].endswith(KEY["session_id"])]
