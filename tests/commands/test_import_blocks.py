"""References that other programs wrote, and references for them."""

import hashlib

import orjson
import pytest

from blocks.stored import BIG, blocks, contents
from in_process import run_in_process, run_ok
from support import lines, session_path

THEIRS = {
    "block_2aText": {"type": "text", "text": "hello", "metadata": {"persistence": {"blockKey": "block_2aText"}}},
    "block_2bCall": {"type": "tool_use", "toolUse": {"id": "c1", "name": "ls", "arguments": '{"path":"x"}'}},
    "block_2cResult": {
        "type": "tool_result",
        "toolResult": {"toolCallId": "c1", "name": "ls", "isError": False, "content": [{"type": "text", "text": "a b"}]},
    },
    "block_2dOurs": {"text": "and?"},
}  # fmt: skip
WRAPPER = {
    "type": "llm2", "flowId": "flow_1", "workspaceId": "ws_1",
    "refs": [
        {"blockKeys": ["block_2aText"], "role": "user"}, {"blockKeys": ["block_2bCall"], "role": "assistant"},
        {"blockKeys": ["block_2cResult", "block_2dOurs"], "role": "user"},
    ],
}  # fmt: skip
PARTS = [
    [{"text": "hello"}],
    [{"functionCall": {"id": "c1", "name": "ls", "args": {"path": "x"}}}],
    [{"functionResponse": {"id": "c1", "name": "ls", "response": {"output": "a b"}}}, {"text": "and?"}],
]


def wrapper(folder):
    (folder / "theirs.json").write_bytes(orjson.dumps(WRAPPER))
    return folder / "theirs.json"


def named(home, session):
    return {id for record in lines(session_path(home, session)) for id in record.get("blockIds", ())}


@pytest.mark.parametrize("sharded", [False, True])
def test_foreign_blocks_in_a_folder_become_ours(home, tmp_path, sharded):
    store = tmp_path / "store"
    for id, value in THEIRS.items():
        folder = store / id[:2] if sharded else store
        folder.mkdir(parents=True, exist_ok=True)
        (folder / id).write_bytes(orjson.dumps(value))
    env = {"CODEH_BLOCKS": str(store)}
    run_ok("import", wrapper(tmp_path), "--into", "a", env=env)
    messages = orjson.loads(run_ok("export", "a", env=env).out)
    assert [message["parts"] for message in messages] == PARTS
    assert all(len(id) == 64 for id in named(home, "a"))
    assert [record["kind"] for record in lines(session_path(home, "a"))[2:]] == ["user", "codeh", "tool"]
    printed = orjson.loads(run_ok("export", "a", "--to", "refs", "--workspace", "ws_1", env=env).out)
    assert list(printed) == ["type", "refs", "flowId", "workspaceId"]
    assert printed["flowId"] == "flow_1"
    assert [ref["role"] for ref in printed["refs"]] == ["user", "assistant", "user"]


@pytest.mark.parametrize("key", ["ws_1:flow_1:msg:{}", "default:block:{}", "flow_1:msg:{}", "{}"])
def test_foreign_blocks_in_a_server_become_ours(home, tmp_path, redis_url, shared_redis, key):
    for id, value in THEIRS.items():
        shared_redis.send("SET", key.format(id), orjson.dumps(value).decode())
    env = {"CODEH_BLOCKS": redis_url}
    run_ok("import", wrapper(tmp_path), "--into", "a", env=env)
    messages = orjson.loads(run_ok("export", "a", env=env).out)
    assert [message["parts"] for message in messages] == PARTS


@pytest.mark.parametrize("left", ["none", "no part", "a path"])
def test_foreign_blocks_that_cannot_be_read_are_refused_at_once(home, tmp_path, left):
    (home / "blocks").mkdir(parents=True)
    for id, value in THEIRS.items():
        (home / "blocks" / id).write_bytes(orjson.dumps(value))
    file, lost = wrapper(tmp_path), "block_2bCall"
    if left == "none":
        (home / "blocks" / lost).unlink()
    elif left == "no part":
        (home / "blocks" / lost).write_bytes(b'{"type":"video"}')
    else:
        lost = "../../x"
        file.write_bytes(file.read_bytes().replace(b"block_2bCall", lost.encode()))
    refused = run_in_process("import", str(file), "--into", "a")
    assert (refused.code, refused.out) == (65, b"")
    assert lost in refused.err.decode()
    assert not session_path(home, "a").exists()


def test_references_to_our_blocks_that_are_missing_are_refused_at_once(home, tmp_path):
    id = hashlib.sha256(b'{"text":"hi"}').hexdigest()
    file = tmp_path / "refs.json"
    file.write_bytes(orjson.dumps([{"flowId": "f", "blockIds": [id], "role": "user"}]))
    refused = run_in_process("import", str(file))
    assert (refused.code, id in refused.err.decode()) == (65, True)
    assert not list(home.rglob("*.jsonl"))
    assert id in run_ok("import", file, "--allow-missing").err.decode()


def test_listing_references_does_not_query_the_store(home, tmp_path):
    run_ok("append", "-s", "a", "-m", BIG)
    run_ok("append", "-s", "a", "--role", "model", "-m", BIG + "2")
    run_ok("persist", "a", "-i", "--all")
    before = run_ok("export", "a", "--to", "refs").out
    (home / "blocks").rename(tmp_path / "away")
    away = {"CODEH_BLOCKS": "redis://127.0.0.1:1/0"}
    for env in ({}, away):
        assert run_ok("export", "a", "--to", "refs", env=env).out == before
        listed = run_ok("list", "--jsonl", env=env)
        assert (listed.lines[0]["messages"], listed.lines[0]["exchanges"], listed.err) == (2, 1, b"")
        assert listed.lines[0]["open_calls"] is None  # nobody can know
    assert not (home / "blocks").exists()


def test_references_after_a_compaction_keep_the_blocks_of_what_it_left(home):
    run_ok("append", "-s", "a", "-m", "go")
    run_ok("append", "-s", "a", "--call", "build", "--args", "{}", "--call-id", "c1")
    run_ok("append", "-s", "a", "--result", "build", "-m", "a line of output\n" * 3000)
    run_ok("append", "-s", "a", "--role", "model", "-m", "done")
    run_ok("append", "-s", "a", "-m", "and?")
    run_ok("persist", "a", "-i", "--all")
    run_ok("compact", "a", "--max-chars", "20000", "-i")
    refs = orjson.loads(run_ok("export", "a", "--to", "refs").out)
    shown = contents(home, "a")
    stored = blocks(home)
    assert [[orjson.loads(stored[id]) for id in ref["blockIds"]] for ref in refs] == [
        m["parts"] for m in shown
    ]


def test_a_workspace_gives_the_toolkits_wrapper(home, tmp_path):
    run_ok("append", "-s", "a", "-m", "hi")
    run_ok("append", "-s", "a", "--role", "model", "-m", "ho")
    printed = run_ok("export", "a", "--to", "refs", "--workspace", "ws_1").out
    ids = [hashlib.sha256(b'{"text":"%s"}' % text).hexdigest() for text in (b"hi", b"ho")]
    assert orjson.loads(printed) == {
        "type": "llm2", "flowId": "a", "workspaceId": "ws_1",
        "refs": [{"blockKeys": [ids[0]], "role": "user"}, {"blockKeys": [ids[1]], "role": "assistant"}],
    }  # fmt: skip
    (tmp_path / "w.json").write_bytes(printed)
    run_ok("import", tmp_path / "w.json", "--into", "b")
    assert contents(home, "b") == contents(home, "a")
    assert run_in_process("export", "a", "--workspace", "w").code == 2
