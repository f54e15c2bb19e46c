"""Whatever a session's file holds, every look at it ends with a documented code and no traceback."""

import os

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
import support
from codeh_history.base.env import Env
from codeh_history.main import run

LOOKS = [
    "show", "show --json", "show --items -n 2", "show --curated", "last", "last --code --role model", "search e",
    "search -i H --jsonl", "stats --counter approx", "stats --json --counter approx", "status --counter approx",
    "status --json --counter approx", "verify", "verify --json", "verify --to gemini", "verify --to anthropic",
    "verify --to openai-chat", "verify --to openai-responses", "expand :1", "list",
]  # fmt: skip


def code_of(line, home, *, session="s"):
    """The exit code of a look, run here; a bug is raised."""
    with (home / "out").open("wb") as out:
        environ = {"CODEH_HOME": str(home), "CODEH_TRACEBACK": "1", "CODEH_SESSION": session}
        env = Env(environ, stdin=os.open(os.devnull, os.O_RDONLY), stdout=out.fileno(), stderr=out.fileno())
        verb, *rest = line.split()
        named = [session] if verb == "search" else []
        try:
            return run([verb, *rest, *named], env)
        finally:
            os.close(env.stdin)


@given(data=some.files_of() | st.binary(max_size=60), look=st.sampled_from(LOOKS))
def test_generated_files(data, look, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "sessions").mkdir()
    (home / "sessions" / "s.jsonl").write_bytes(data)
    assert code_of(look, home) in (0, 1, 3, 65)
    assert (home / "sessions" / "s.jsonl").read_bytes() == data


def deep(levels):
    value = "x"
    for _ in range(levels):
        value = {"a": value}
    return value


ODD = [
    {"type": "message", "id": "a", "kind": "user", "parts": [{"inlineData": {"mimeType": 7, "data": {}}}]},
    {"type": "message", "id": "a", "kind": "user", "parts": [{"fileData": {}}, {"native": {}}, {"text": "x", "thought": "?"}]},
    {"type": "message", "id": "a", "kind": "codeh", "parts": [{"functionCall": {"name": "", "args": 7, "id": 7}}]},
    {"type": "message", "id": "a", "kind": "tool", "parts": [{"functionResponse": {"name": "f", "response": 7, "id": []}}]},
    {"type": "message", "id": "a", "kind": "tool", "parts": [{"functionResponse": {"name": "f", "parts": {"a": 1}}}]},
    {"type": "message", "id": "a", "kind": "user", "parts": [], "references": {"a": 1}, "attached": 7, "model": 7, "ts": []},
    {"type": "message", "id": "a", "kind": "user", "parts": [], "references": [7, {"number": [], "score": "x"}], "ts": -1e300},
    {"type": "message", "id": "", "kind": "user", "parts": [{}], "attached": [{"part": []}, {"part": 0, "name": 7}]},
    {"type": "meta", "set": {"title": 7, "tags": {"a": 1}, "system": [], "tools": "x", "model.gemini": 7}},
    {"type": "session", "version": "x", "id": 7, "created": {}, "cwd": 7},
    {"type": "summary", "id": "s", "summary": "x", "covers": [], "periodStart": 7, "conversationCount": "x"},
    {"type": "summary", "id": "s", "summary": "x", "covers": 7},
    {"type": "compaction", "id": "k", "ops": [{"op": "summarize", "ids": 7, "summary": "x"}]},
    {"type": "compaction", "id": "k", "ops": [{"op": 7}, {"op": "replace"}, {"op": "insert", "message": {}}, {"op": "drop"}]},
    {"type": "abort", "of": "a", "reason": {}},
    {"type": "ref", "id": "r", "kind": "user", "blockIds": ["../x"]},
    {"type": "ref", "id": "r", "kind": "user", "blockIds": ["0" * 64]},
    {"type": "message", "id": "a", "kind": "codeh", "parts": [{"functionCall": {"name": "f", "args": deep(300)}}]},
    {"type": "later", "id": {"a": 1}},
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ODD)))
def test_odd_shapes(number, tmp_path):
    (tmp_path / "sessions").mkdir()
    import json

    first = {"type": "message", "id": "a", "kind": "codeh", "role": "model", "parts": [{"text": "hi"}]}
    lines = [json.dumps(record) for record in (first, ODD[number], {**first, "id": "z"})]
    (tmp_path / "sessions" / "s.jsonl").write_text("".join(f"{line}\n" for line in lines))
    for look in LOOKS:
        assert code_of(look, tmp_path) in (0, 1, 3, 65), look


@pytest.mark.parametrize("path", support.corpus_files("sessions/*.jsonl"), ids=lambda path: path.name)
def test_other_programs_files(path, tmp_path):
    """They are no sessions of ours, and every line may be damage; none of them is a bug."""
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "s.jsonl").write_bytes(path.read_bytes())
    for look in LOOKS:
        assert code_of(look, tmp_path) in (0, 1, 3, 65), look


@pytest.mark.parametrize("form", ["gemini", "anthropic", "openai-chat", "openai-responses", "ollama"])
def test_recorded_conversations(form, tmp_path):
    """Every recorded request, imported, can be looked at."""
    paths = support.corpus_files(f"exchanges/{form}/*.json")
    if not paths:
        pytest.skip("no recorded data")
    (tmp_path / "sessions").mkdir()
    for path in paths[::7]:
        exchange = orjson.loads(path.read_bytes())
        request = exchange.get("request") if isinstance(exchange, dict) else None
        if path.name.endswith(".expected.json") or not isinstance(request, dict):
            continue
        body = tmp_path / "body.json"
        body.write_bytes(orjson.dumps(request))
        session = tmp_path / "sessions" / "s.jsonl"
        session.unlink(missing_ok=True)
        if support.run("import", body, "--from", form, "--into", "s", home=tmp_path).code != 0:
            continue
        for look in LOOKS:
            assert code_of(look, tmp_path) in (0, 1, 3, 65), (path.name, look)
