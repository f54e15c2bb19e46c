"""What `verify` reports: of a log's lines, of a session, of other programs' files, and for a provider."""

import orjson
import pytest
from hypothesis import given

import strategies as some
from codeh_history import providers
from codeh_history.base.env import Env
from codeh_history.commands.verify import of_program, problems_of, refusals, source_of
from codeh_history.store.resolve import Target
from in_process import write_session
from plain_logs import plain_files

HEAD = {"type": "session", "version": 1, "id": "s"}


TEXT = [{"text": "x"}]


def m(id, **fields):
    return {"type": "message", "id": id, "kind": "user", "role": "user", "parts": TEXT, **fields}


def call(id, call_id, name="f"):
    return m(id, kind="codeh", role="model", parts=[{"functionCall": {"id": call_id, "name": name}}])


def result(id, call_id, name="f"):
    return m(id, kind="tool", parts=[{"functionResponse": {"id": call_id, "name": name, "response": {}}}])


CLEAR = {"type": "clear", "id": "x"}


def problem_lines(tmp_path, *lines):
    """Every problem as `LINE ID? REASON`, after checking that its offset is that of its line."""
    spelled = [line if isinstance(line, bytes) else orjson.dumps(line) for line in lines]
    home = tmp_path / "home"
    path = write_session(home, b"".join(line + b"\n" for line in spelled))
    starts = [sum(len(line) + 1 for line in spelled[:n]) for n in range(len(spelled))]
    _, problems = problems_of(Env({"CODEH_HOME": str(home)}, stderr=99), Target(str(path), ""))
    for problem in problems:
        assert problem["line"] is not None
        assert starts[problem["line"] - 1] == problem["offset"]
    return [f"{p['line']} {p['id'] + ' ' if 'id' in p else ''}{p['reason']}" for p in problems]


@pytest.mark.parametrize(
    ("lines", "problems"),
    [
        ([HEAD, m("a"), m("b")], []),
        ([m("a")], []),
        ([HEAD, m("a"), b"", b"  "], []),
        ([HEAD, b"not json", m("a"), b"[]"], ["2 not JSON", "4 not an object"]),
        ([HEAD, b"\0\0\0", m("a")], ["2 3 NUL bytes"]),
        ([HEAD, m("a"), HEAD], ["3 a second header"]),
        ([{**HEAD, "version": 2}], ["1 version 2 is newer"]),
        ([HEAD, m("a"), m("a")], ["3 has an id that was used before, at byte 40"]),
        ([HEAD, m("a"), {"type": "clear", "id": "a"}], ["3 has an id that was used before"]),
        ([HEAD, {"type": "revert", "id": "r", "of": "x"}], ["2 r revert names nothing earlier: x"]),
        ([HEAD, m("a"), {"type": "revert", "id": "r", "of": "a"}], []),
        ([HEAD, {"type": "revert", "id": "r", "of": "r"}], ["2 r revert names nothing earlier: r"]),
        ([HEAD, {"type": "delta", "of": "x", "parts": TEXT}, {"type": "commit", "of": "x"}],
         ["2 delta names nothing earlier", "3 commit names nothing earlier"]),
        ([HEAD, {"type": "open", "id": "o", "kind": "codeh"}, {"type": "delta", "of": "o", "parts": TEXT},
          {"type": "commit", "of": "o"}, {"type": "delta", "of": "o", "parts": TEXT}], []),
        ([HEAD, {"type": "update", "id": "u", "of": "a", "parts": TEXT}, m("a")], ["2 u update names nothing"]),
        ([HEAD, m("a"), {"type": "update", "id": "u", "of": "a", "parts": TEXT}, {"type": "commit", "of": "u"}], []),
        ([HEAD, m("a"), {"type": "summary", "id": "t", "summary": "t", "covers": ["a", "x", "y"]}],
         ["3 t summary names nothing earlier: x", "3 t summary names nothing earlier: y"]),
        ([HEAD, m("a"), {"type": "compaction", "id": "k", "ops": [
            {"op": "drop", "ids": ["a", "x"]}, {"op": "replace", "id": "y", "part": 0},
            {"op": "insert", "after": "z", "message": {"id": "i", **m("i")}}, {"op": "drop", "ids": ["i"]},
            {"op": "summarize", "ids": ["a"], "summary": "t"}]},
          {"type": "summary", "id": "t", "summary": "t", "covers": ["k.4", "i"]}],
         ["3 k drop of a compaction names nothing earlier: x", "3 k replace of a", "3 k insert of a"]),
        ([HEAD, m("a"), call("b", "c1"), result("c", "c1")], []),
        ([HEAD, m("a"), call("b", "c1")], []),  # open at the end
        ([HEAD, m("a"), call("b", "c1"), call("b2", "c2"), result("c", "c2")], ["3 b the call of f is never answered"]),
        ([HEAD, call("b", "c1"), m("a")], ["2 b the call of f is never answered"]),
        ([HEAD, call("b", "c1"), m("a"), result("c", "c1")], ["4 c the result of f comes late"]),
        ([HEAD, call("b", "c1"), result("c", "c1"), result("d", "c1")], ["4 d a second result of f"]),
        ([HEAD, result("c", "c1")], ["2 c the result of f answers no call"]),
        ([HEAD, call("b", "c1"), m("e", kind="error", role=None), result("c", "c1")], []),
        ([HEAD, call("b", "c1"), CLEAR, m("a"), result("c", "c1")], ["5 c the result of f answers no call"]),
        ([HEAD, CLEAR, call("b", "c1"), m("a")], ["3 b the call of f is never answered"]),
    ],
)  # fmt: skip
def test_lines_what_they_name_and_calls_without_results(lines, problems, tmp_path):
    got = problem_lines(tmp_path, *lines)
    assert len(got) == len(problems), got
    assert all(line.startswith(start) for line, start in zip(got, problems, strict=True)), got


def test_a_copy_may_have_any_name(tmp_path):
    path = tmp_path / "copy.jsonl"
    path.write_bytes(orjson.dumps(HEAD) + b"\n")
    assert problems_of(Env(stderr=99), Target(str(path), ""))[1] == []


def test_blocks(tmp_path, home):
    import hashlib

    def ref(id, *blocks):
        return {"type": "ref", "id": id, "kind": "user", "role": "user", "blockIds": list(blocks)}

    content = b'{"text":"x"}'
    present, gone = hashlib.sha256(content).hexdigest(), "0" * 64
    altered = hashlib.sha256(b"y").hexdigest()
    for id, data in ((present, content), (altered, b"z")):
        (home / "blocks" / id[:2]).mkdir(parents=True)
        (home / "blocks" / id[:2] / id).write_bytes(data)
    assert problem_lines(tmp_path, HEAD, ref("a", present)) == []
    got = problem_lines(tmp_path, HEAD, ref("a", present), ref("b", gone, "../x"), ref("c", altered))
    assert [line.split(" (")[0].replace(str(home), "HOME") for line in got] == [
        f"3 b block {gone} is missing from HOME/blocks",
        "3 b ../x: not a block id",
        f"4 c block {altered} in HOME/blocks is altered",
    ]


@given(data=some.files_of() | plain_files())
def test_problems_come_in_the_order_of_the_file(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    problems = problems_of(Env(stderr=99), Target(str(path), ""))[1]
    assert [p["line"] for p in problems] == [data.count(b"\n", 0, p["offset"]) + 1 for p in problems]
    assert problems == sorted(problems, key=lambda problem: problem["offset"])


@pytest.mark.parametrize(
    ("path", "id"),
    [
        ("messages.1.content.0", "b"), ("messages.1.content.1", "c"), ("messages.1", "b"),
        ("messages.1.content.9", "b"), ("messages.0.content.0", None), ("messages.7", None), ("model", None),
        ("contents.2.parts.0", None), ("input.1", "b"),
    ],
)  # fmt: skip
def test_the_source_of_a_path(path, id):
    assert source_of([[""], ["b", "c"], []], path) == id


@pytest.mark.parametrize("format", providers.FORMATS)
def test_every_provider_accepts_a_session_that_ends_with_an_answer(format):
    lines = [HEAD, m("a"), m("b", kind="codeh", role="model", parts=[{"text": "ok "}])]
    assert [*refusals(some.view_of(lines), format, "claude-opus-4-8")] == []


@pytest.mark.parametrize("format", ["gemini", "anthropic"])
def test_an_empty_message_is_reported_with_its_id(format):
    reasons = refusals(some.view_of([HEAD, m("a"), m("b", parts=[])]), format, "claude-opus-4-8")
    assert [refusal.id for refusal in reasons] == ["b"]


@pytest.mark.parametrize("path", ["-", "postgres://h/d/s", "ours"])
def test_unrecognised_files_are_left_to_other_readers(tmp_path, path, monkeypatch):
    (tmp_path / "ours").write_bytes(b'{"type":"session","version":1,"id":"s"}\n')
    monkeypatch.chdir(tmp_path)

    assert of_program(Target(path, "argument")) is None
