"""`refs`: a file of references comes out as it went in, and nothing that a session holds is lost in it."""

import orjson
import pytest

from blocks.stored import BIG, blocks
from codeh_history import Session
from in_process import run_in_process, run_ok, write_session
from strategies import encode

THEIRS = {
    "block_2a": {"type": "text", "text": "hello"},
    "block_2b": {"type": "tool_use", "toolUse": {"id": "c1", "name": "ls", "arguments": "{}"}},
    "block_2c": {"type": "tool_result", "toolResult": {"toolCallId": "c1", "name": "ls", "content": [{"type": "text", "text": "a b"}]}},
}  # fmt: skip
ELEMENTS = [
    {"flowId": "f", "blockIds": ["block_2a"], "role": "user"}, {"flowId": "f", "blockIds": ["block_2b"], "role": "assistant"},
    {"flowId": "f", "blockIds": ["block_2c"], "role": "user", "more": 1},
]  # fmt: skip
KEYS = [{"blockKeys": item["blockIds"], "role": item["role"]} for item in ELEMENTS]
FILES = {
    "a list": ELEMENTS,
    "a wrapper": {"type": "llm2", "refs": KEYS, "flowId": "f", "workspaceId": "w", "more": {"a": 1}},
}


@pytest.fixture
def env(tmp_path):
    store = tmp_path / "store"
    store.mkdir()
    for id, block in THEIRS.items():
        (store / id).write_bytes(orjson.dumps(block))
    return {"CODEH_BLOCKS": str(store)}


def written(tmp_path, value):
    (tmp_path / "refs.json").write_bytes(orjson.dumps(value))
    return tmp_path / "refs.json"


def exported(home, session, env=None):
    return orjson.loads(run_ok("export", session, "--to", "refs", home=home, env=env or {}).out)


@pytest.mark.parametrize("value", FILES.values(), ids=FILES)
@pytest.mark.parametrize("change", ["none", "persist", "hydrate"])
def test_unchanged_file_round_trips(home, tmp_path, env, value, change):
    file = written(tmp_path, value)
    assert exported(home, file, env) == value
    run_ok("import", file, "--into", "a", home=home, env=env)
    if change != "none":
        run_ok(change, "a", "-i", home=home, env=env)
    assert exported(home, "a", env) == value


def test_malformed_flow_id_is_accepted(home):
    message = {"type": "message", "id": "a", "kind": "user", "flowId": ["f"], "parts": [{"text": "hi"}]}
    write_session(home, encode([message]), "odd")
    assert len(exported(home, "odd")) == 1


@pytest.mark.parametrize("value", FILES.values(), ids=FILES)
def test_only_changed_parts_get_new_blocks(home, tmp_path, env, value):
    run_ok("import", written(tmp_path, value), "--into", "a", home=home, env=env)
    run_ok("update", ":1", "-s", "a", "-m", "hello again", home=home, env=env)
    run_ok("append", "-s", "a", "--role", "model", "-m", "done", home=home, env=env)
    before = value["refs"] if isinstance(value, dict) else value
    made = exported(home, "a", env)
    after = made["refs"] if isinstance(made, dict) else made
    assert after[1:3] == before[1:3]
    key = "blockKeys" if isinstance(value, dict) else "blockIds"
    assert [after[0]["role"], after[3]["role"]] == ["user", "assistant"]
    assert all(len(id) == 64 for item in (after[0], after[3]) for id in item[key])


@pytest.mark.parametrize("value", FILES.values(), ids=FILES)
def test_readers_read_blocks_of_other_programs(home, tmp_path, env, value):
    file = written(tmp_path, value)
    for argv in (
        ["show", file],
        ["stats", file, "--counter", "approx"],
        ["payload", file, "--to", "gemini", "-q"],
    ):
        run_ok(*argv, home=home, env=env)
    assert b"hello" in run_ok("show", file, home=home, env=env).out
    sent = orjson.loads(run_ok("payload", file, "--to", "gemini", "-q", home=home, env=env).out)["contents"]
    assert sent[1]["parts"][0]["functionCall"]["name"] == "ls"
    (tmp_path / "store" / "block_2a").unlink()
    lost = run_in_process("payload", str(file), "--to", "gemini", home=home, env=env)
    assert (lost.code, b"block_2a" in lost.err) == (65, True)
    assert b"[block block_2a is missing]" in run_ok("show", file, home=home, env=env).out


@pytest.mark.parametrize("by", ["compact", "summarize"])
def test_managed_history_round_trips(home, tmp_path, by):
    """Messages, calls and the summary that compaction wrote."""
    for number in range(6):
        run_ok("append", "-s", "demo", "-m", f"Ask {number}. " + BIG, home=home)
        run_ok("append", "-s", "demo", "--role", "model", "-m", f"Say {number}. " + BIG, home=home)
    run_ok("append", "-s", "demo", "-m", "and now?", home=home)
    if by == "compact":
        run_ok("compact", "demo", "-i", "--budget", "9000", home=home)
    else:
        session = Session.open("demo", home=home)
        session.summarize(
            lambda _: "The user asked six questions and got six answers.",
            max_conversations=3,
            min_batch=1,
            gate=False,
        )
    run_ok("persist", "demo", "--all", "-i", home=home)
    done = run_ok("export", "demo", "--to", "refs", home=home)
    file = written(tmp_path, orjson.loads(done.out))
    assert b"summary" in done.err
    run_ok("import", file, "--into", "back", home=home)
    for verb in (
        ["export", "--to", "contents"],
        ["payload", "--to", "gemini"],
        ["payload", "--to", "anthropic", "--model", "m"],
    ):
        assert (
            run_ok(verb[0], "back", *verb[1:], home=home).out
            == run_ok(verb[0], "demo", *verb[1:], home=home).out
        )
    assert exported(home, "back") == orjson.loads(done.out)
    assert (
        run_ok("payload", file, "--to", "gemini", home=home).out
        == run_ok("payload", "demo", "--to", "gemini", home=home).out
    )
    assert len(blocks(home)) > 7


def test_unexportable_records_are_counted(home):
    run_ok("append", "-s", "a", "-m", "hi", home=home)
    run_ok("append", "-s", "a", "--kind", "info", "-m", "note", home=home)
    run_ok("append", "-s", "a", "--role", "model", "--pending", "-m", "so far", home=home)
    assert (
        run_ok("export", "a", "--to", "refs", home=home).err
        == b"codeh-history: a: left out: 1 info message, 1 pending message\n"
    )
