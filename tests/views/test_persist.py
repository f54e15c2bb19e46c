"""persist, hydrate and the readers of sessions by reference, as users run them."""

import hashlib

import orjson
import pytest

from blocks.stored import BIG, PROVIDERS, blocks, contents
from codeh_history.store import foreign
from in_process import run_in_process, run_ok
from support import lines, run, session_path

# -- the seeds' named tests ---------------------------------------------------------------------------


def test_refs_only(home):
    """Marshal gives refs only."""
    run_ok("append", "-s", "a", "-m", "s3cret", home=home)
    assert "s3cret" in session_path(home, "a").read_text()
    run_ok("persist", "a", "-i", "--all", home=home)
    assert "s3cret" not in session_path(home, "a").read_text()
    ref = lines(session_path(home, "a"))[1]
    id = hashlib.sha256(b'{"text":"s3cret"}').hexdigest()
    assert (ref["type"], ref["role"], ref["blockIds"], ref["flowId"]) == ("ref", "user", [id], "a")
    assert orjson.loads(run_ok("export", "a", "--to", "refs", home=home).out) == [
        {"flowId": "a", "blockIds": [id], "role": "user"}
    ]
    assert blocks(home) == {id: b'{"text":"s3cret"}'}


def test_hydrate_roundtrip(demo):
    before = session_path(demo, "demo").read_bytes()
    shown = run_ok("show", "demo", "--jsonl", home=demo).out
    run_ok("persist", "demo", "-i", "--all", home=demo)
    assert session_path(demo, "demo").stat().st_size < 6000
    assert run_ok("show", "demo", "--jsonl", home=demo).out == shown
    run_ok("hydrate", "demo", "-i", home=demo)
    after = session_path(demo, "demo").read_bytes()
    whole = [[line for line in lines(data) if "attached" not in line] for data in (before, after)]
    assert whole[0] == whole[1]
    assert run_ok("show", "demo", "--jsonl", home=demo).out == shown


def test_persist_twice_and_an_edit(home):
    ids = [run_ok("append", "-s", "a", "-m", BIG + name, home=home).text for name in ("one", "two")]
    run_ok("persist", "a", "-i", home=home)
    first, size = blocks(home), session_path(home, "a").read_bytes()
    inode = session_path(home, "a").stat().st_ino
    again = run_ok("persist", "a", "-i", home=home)
    assert b"nothing to persist" in again.err
    assert (session_path(home, "a").read_bytes(), session_path(home, "a").stat().st_ino) == (size, inode)
    run_ok("update", "-s", "a", ids[0], "-m", BIG + "three", home=home)
    run_ok("persist", "a", "-i", home=home)
    new = blocks(home).keys() - first.keys()
    assert new == {hashlib.sha256(orjson.dumps({"text": (BIG + "three")})).hexdigest()}
    assert first.items() <= blocks(home).items()
    refs = orjson.loads(run_ok("export", "a", "--to", "refs", home=home).out)
    assert [ref["blockIds"] for ref in refs] == [
        [hashlib.sha256(orjson.dumps({"text": BIG + name})).hexdigest()] for name in ("three", "two")
    ]


def test_stats_without_tokens_reads_no_block(home):
    run_ok("append", "-s", "a", "-m", BIG, home=home)
    run_ok("append", "-s", "a", "--role", "model", "-m", "ok", home=home)
    counts = orjson.loads(run_ok("stats", "a", "--json", home=home).out)
    run_ok("persist", "a", "-i", "--all", home=home)
    for block in (home / "blocks").rglob("*"):
        if block.is_file():
            block.unlink()
    assert run_in_process("stats", "a", "--json", home=home).code == 65
    stats = orjson.loads(run_ok("stats", "a", "--json", "--no-tokens", home=home).out)
    assert stats == {"messages": 2, "exchanges": 1} == {key: counts[key] for key in stats}
    assert run_ok("stats", "a", "--no-tokens", home=home).out == b"messages\t2\nexchanges\t1\n"
    assert run_in_process("stats", "a", "--no-tokens", "--top", "3", home=home).code == 2


def test_manage_refs(home):
    """ManageV3 on a refs-only session: cut down, then persisted; what is unchanged keeps its block ids."""
    run_ok("append", "-s", "demo", "-m", "go", home=home)
    run_ok("append", "-s", "demo", "--call", "build", "--args", "{}", "--call-id", "c1", home=home)
    run_ok("append", "-s", "demo", "--result", "build", "-m", "a line of output\n" * 3000, home=home)
    run_ok("append", "-s", "demo", "--role", "model", "-m", "kept " * 1000, home=home)
    run_ok("append", "-s", "demo", "-m", "and now?", home=home)
    run_ok("persist", "demo", "-i", "--all", home=home)
    before = orjson.loads(run_ok("export", "demo", "--to", "refs", home=home).out)
    stored = blocks(home)
    run_ok("compact", "demo", "--max-chars", "20000", "-i", home=home)
    run_ok("persist", "demo", "-i", home=home)
    managed = run_ok("persist", "demo", "--all", home=home)
    after = orjson.loads(run_ok("export", "-", "--to", "refs", stdin=managed.out, home=home).out)
    assert [number for number in range(5) if before[number] != after[number]] == [2]
    assert blocks(home).keys() - stored.keys() == set(after[2]["blockIds"])
    assert sum(len(orjson.dumps(m["parts"])) for m in contents(home)) < 20_500
    run_ok("undo", "-s", "demo", home=home)
    assert orjson.loads(run_ok("export", "demo", "--to", "refs", home=home).out) == before


def test_compact_replaces_parts_that_another_program_stored(home):
    """Under the hash of its own spelling of the JSON."""
    output = b"a line of output\\n" * 4000
    data = b'{ "functionResponse": {"id": "c1", "name": "build", "response": {"output": "%s"}} }' % output
    id = hashlib.sha256(data).hexdigest()
    (home / "blocks" / id[:2]).mkdir(parents=True)
    (home / "blocks" / id[:2] / id).write_bytes(data)
    ref = {"type": "ref", "id": "r", "kind": "tool", "role": "user", "blockIds": [id], "flowId": "f"}
    run_ok("append", "-s", "demo", "-m", "go", home=home)
    run_ok("append", "-s", "demo", "--call", "build", "--args", "{}", "--call-id", "c1", home=home)
    with session_path(home, "demo").open("ab") as file:
        file.write(orjson.dumps(ref) + b"\n")
    run_ok("append", "-s", "demo", "--role", "model", "-m", "done", home=home)
    run_ok("append", "-s", "demo", "-m", "and?", home=home)
    plan = run_ok("compact", "demo", "--max-chars", "20000", "--plan", home=home).out
    assert [op["op"] for op in orjson.loads(plan)["ops"]] == ["replace"]
    for argv in (["--max-chars", "20000"], ["--apply", "-"]):
        run_ok("compact", "demo", "-i", *argv, stdin=plan if "-" in argv else b"", home=home)
        (op,) = lines(session_path(home, "demo"))[-1]["ops"]
        assert (op["id"], op["block"]) == ("r", id)
        assert len(orjson.dumps(contents(home))) < 21_000
        run_ok("undo", "-s", "demo", home=home)


def test_failed_store_leaves_the_session_unchanged(demo):
    """Storage error propagates, file unchanged."""
    pytest.importorskip("redis")
    before = session_path(demo, "demo").read_bytes()
    env = {"CODEH_BLOCKS": "redis://:pw@127.0.0.1:1/0"}
    failed = run("persist", "demo", "-i", home=demo, env=env)
    assert (failed.code, failed.out) == (74, b"")
    assert b"redis://127.0.0.1:1/0" in failed.err
    assert b"pw" not in failed.err
    assert session_path(demo, "demo").read_bytes() == before
    filtered = run("persist", "demo", home=demo, env=env)
    assert (filtered.code, filtered.out) == (74, b"")


ID = hashlib.sha256(b'{"text":"hi"}').hexdigest()
FORMS = {
    "empty": (b"[]", []),
    "first": (b'[{"role":"user","content":"hi"}]', ["message"]),
    "contents": (b'[{"role":"user","parts":[{"text":"hi"}]}]', ["message"]),
    "refs": (orjson.dumps([{"flowId": "f", "blockIds": [ID], "role": "user"}]), ["ref"]),
    "keys": (orjson.dumps([{"blockKeys": [ID], "role": "user"}]), ["ref"]),
    "llm2": (
        orjson.dumps({"type": "llm2", "refs": [{"blockKeys": [ID], "role": "user"}], "flowId": "f"}),
        ["meta", "ref"],
    ),
    "persisted": (
        b'{"recentConversations":[{"userMessage":"hi","assistantResponse":"ho"}],"summaries":[]}',
        ["message", "message"],
    ),
    "native": (b'{"role":"user","parts":[{"text":"hi"}]}\n', ["message"]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "types"), FORMS.values(), ids=FORMS)
def test_detect(home, data, types):
    """Each form is known by its content, newest first; all but the native one can only be read."""
    run_ok("append", "-s", "other", "-m", "hi", home=home)
    run_ok("persist", "other", "-i", "--all", home=home)
    assert [record.data["type"] for record in foreign.read_log(data).records] == types
    shown = run_ok("show", "-", "--jsonl", stdin=data, home=home).lines
    assert [message["parts"] for message in shown][:1] == [[{"text": "hi"}]][: len(types)]


# -- writers ------------------------------------------------------------------------------------------


def test_every_writer_works_by_reference(home):
    run_ok("append", "-s", "a", "-m", "go", home=home)
    run_ok("append", "-s", "a", "--call", "ls", "--args", "{}", "--call-id", "c1", home=home)
    run_ok("append", "-s", "a", "--call", "ls", "--args", "{}", home=home)
    run_ok("persist", "a", "-i", "--all", home=home)
    assert [c["id"] for c in run_ok("calls", "a", home=home).lines] == ["c1", "call_1"]
    run_ok("append", "-s", "a", "--result", "ls", "-m", "x", "--key", "r1", home=home)
    run_ok("persist", "a", "-i", "--all", home=home)
    assert run_ok("append", "-s", "a", "--result", "ls", "-m", "x", "--key", "r1", home=home).code == 0
    assert run("append", "-s", "a", "--result", "ls", "-m", "y", "--key", "r1", home=home).code == 65
    run_ok("calls", "a", "--via", "cat", home=home)
    assert run("calls", "a", home=home).code == 1
    run_ok("append", "-s", "a", "-m", "and?", home=home)
    run_ok("persist", "a", "-i", "--all", home=home)
    run_ok("update", "-s", "a", ":-1", "--append", "-m", " now", home=home)
    run_ok("persist", "a", "-i", "--all", home=home)
    run_ok("update", "-s", "a", ":-1", "-m", "later", "--pending", home=home)
    run_ok("persist", "a", "-i", "--all", home=home)
    run_ok("update", "-s", "a", ":-1", "--append", "-m", " on", home=home)
    run_ok("commit", "-s", "a", home=home)
    run_ok("persist", "a", "-i", "--all", home=home)
    assert run_ok("last", "a", home=home).text == "later on"
    undone = run_ok("undo", "-s", "a", "--turn", home=home).text
    assert undone.count("\n") >= 1
    assert contents(home, "a")[0]["parts"] == [{"text": "go"}]
    assert contents(home, "a")[-1]["role"] == "user"
    assert b"text" not in session_path(home, "a").read_bytes()
    run_ok("append", "-s", "a", "-m", "next", "--max-items", "2", home=home)
    assert lines(session_path(home, "a"))[-1]["type"] == "compaction"
    assert contents(home, "a")[-1]["parts"] == [{"text": "next"}]


@pytest.mark.parametrize("extra", [0, 1])
def test_large_parts_and_attachments_move_to_blocks(home, tmp_path, extra):
    """A part above 4 KiB as JSON, and all parts of its message; a file above 64 KiB."""
    part = {"text": "x" * (4096 - len(b'{"text":""}') + extra)}
    line = orjson.dumps({"role": "user", "parts": [{"text": "small"}, part]})
    run_ok("append", "-s", "a", "--jsonl", stdin=line, home=home)
    run_ok("persist", "a", "-i", home=home)
    assert len(blocks(home)) == 2 * extra
    (tmp_path / "file.txt").write_bytes(b"x" * (64 * 1024 + extra))
    run_ok("append", "-s", "b", "-m", "see", "--attach", tmp_path / "file.txt", home=home)
    assert len(blocks(home)) == 4 * extra
    assert lines(session_path(home, "b"))[-1]["type"] == ("ref" if extra else "message")


# -- many machines ------------------------------------------------------------------------------------


def test_two_homes_share_a_server(home, tmp_path, redis_url):
    env = {"CODEH_BLOCKS": redis_url}
    other = tmp_path / "other"
    for name in ("one", "two"):
        run_ok("append", "-s", "demo", "-m", BIG + name, home=home)
        run_ok("append", "-s", "demo", "--role", "model", "-m", f"ok {name}", home=home)
    run_ok("append", "-s", "demo", "-m", "?", home=home)
    artefact = tmp_path / "demo.jsonl"
    artefact.write_bytes(run_ok("persist", "demo", home=home, env=env).out)
    assert artefact.stat().st_size < 2000
    assert "s3cret" not in artefact.read_text()
    whole = run_ok("hydrate", artefact, home=other, env=env).out
    assert whole == session_path(home, "demo").read_bytes()
    for name in PROVIDERS:
        argv = ["--to", name, "--model", "m"]
        body = run_ok("payload", artefact, *argv, home=other, env=env).out
        assert body == run_ok("payload", "demo", *argv, home=home).out
    (other / "sessions").mkdir(parents=True)
    (other / "sessions" / "demo.jsonl").write_bytes(artefact.read_bytes())
    run_ok("append", "-s", "demo", "--role", "model", "-m", BIG + "three", home=other, env=env)
    run_ok("persist", "demo", "-i", home=other, env=env)
    back = (other / "sessions" / "demo.jsonl").read_bytes()
    assert run_ok("last", "-", stdin=back, home=home, env=env).text == (BIG + "three").rstrip()
    assert not (home / "blocks").exists()
    assert not (other / "blocks").exists()


def test_gc_of_a_shared_server_needs_its_flag(home, redis_url, shared_redis):
    env = {"CODEH_BLOCKS": redis_url, "CODEH_NOW": "2100-01-01T00:00:00Z"}
    run_ok("append", "-s", "demo", "-m", BIG, home=home)
    run_ok("persist", "demo", "-i", home=home, env=env)
    session_path(home, "demo").unlink()
    kept = run_ok("gc", "--yes", home=home, env=env)
    assert kept.out == b""
    assert shared_redis.send("DBSIZE") == ":1"
    assert run_ok("gc", "--yes", "--shared", home=home, env=env).lines[0]["blocks"] == 1
    assert shared_redis.send("DBSIZE") == ":0"
