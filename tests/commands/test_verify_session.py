"""What `verify` finds, each problem at its line."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.env import Env
from codeh_history.commands.verify import session as verifying
from codeh_history.store.resolve import Target
from plain_logs import plain_files

HEAD = {"type": "session", "version": 1, "id": "s"}
TEXT = [{"text": "x"}]


def m(id, **fields):
    return {"type": "message", "id": id, "kind": "user", "role": "user", "parts": TEXT, **fields}


def call(id, call_id, name="f"):
    return m(id, kind="codeh", role="model", parts=[{"functionCall": {"id": call_id, "name": name}}])


def result(id, call_id, name="f"):
    return m(id, kind="tool", parts=[{"functionResponse": {"id": call_id, "name": name, "response": {}}}])


def found(tmp_path, *lines):
    """Every problem as `LINE ID? REASON`, after checking that its offset is that of its line."""
    spelled = [line if isinstance(line, bytes) else orjson.dumps(line) for line in lines]
    home = tmp_path / "home"
    path = home / "sessions" / "s.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line + b"\n" for line in spelled))
    starts = [sum(len(line) + 1 for line in spelled[:n]) for n in range(len(spelled))]
    verdict = verifying.verify(Env({"CODEH_HOME": str(home)}, stderr=99), Target(str(path), ""))
    for problem in verdict.problems:
        assert problem.line is not None
        assert starts[problem.line - 1] == problem.offset
    return [f"{p.line} {p.id + ' ' if p.id else ''}{p.reason}" for p in verdict.problems]


def test_a_copy_may_have_any_name(tmp_path):
    path = tmp_path / "copy.jsonl"
    path.write_bytes(orjson.dumps(HEAD) + b"\n")
    assert verifying.verify(Env(stderr=99), Target(str(path), "")).problems == []


CLEAR = {"type": "clear", "id": "x"}


@pytest.mark.parametrize(
    ("lines", "problems"),
    [
        ([m("a"), call("b", "c1"), result("c", "c1")], []),
        ([m("a"), call("b", "c1")], []),  # open at the end
        (
            [m("a"), call("b", "c1"), call("b2", "c2"), result("c", "c2")],
            ["3 b the call of f is never answered"],
        ),
        ([call("b", "c1"), m("a")], ["2 b the call of f is never answered"]),
        ([call("b", "c1"), m("a"), result("c", "c1")], ["4 c the result of f comes late"]),
        ([call("b", "c1"), result("c", "c1"), result("d", "c1")], ["4 d a second result of f"]),
        ([result("c", "c1")], ["2 c the result of f answers no call"]),
        ([call("b", "c1"), m("e", kind="error", role=None), result("c", "c1")], []),
        ([call("b", "c1"), CLEAR, m("a"), result("c", "c1")], ["5 c the result of f answers no call"]),
        ([CLEAR, call("b", "c1"), m("a")], ["3 b the call of f is never answered"]),
    ],
)
def test_pairs(lines, problems, tmp_path):
    got = found(tmp_path, HEAD, *lines)
    assert len(got) == len(problems), got
    assert all(line.startswith(start) for line, start in zip(got, problems, strict=True)), got


def test_blocks(tmp_path, home):
    import hashlib

    def ref(id, *blocks):
        return {"type": "ref", "id": id, "kind": "user", "role": "user", "blockIds": list(blocks)}

    content = b'{"text":"x"}'
    there, gone = hashlib.sha256(content).hexdigest(), "0" * 64
    altered = hashlib.sha256(b"y").hexdigest()
    for id, data in ((there, content), (altered, b"z")):
        (home / "blocks" / id[:2]).mkdir(parents=True)
        (home / "blocks" / id[:2] / id).write_bytes(data)
    assert found(tmp_path, HEAD, ref("a", there)) == []
    got = found(tmp_path, HEAD, ref("a", there), ref("b", gone, "../x"), ref("c", altered))
    assert [line.split(" (")[0].replace(str(home), "HOME") for line in got] == [
        f"3 b block {gone} is missing from HOME/blocks",
        "3 b ../x: no block id",
        f"4 c block {altered} in HOME/blocks is altered",
    ]


@given(data=some.files_of() | plain_files())
def test_problems_come_in_the_order_of_the_file(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    problems = verifying.verify(Env(stderr=99), Target(str(path), "")).problems
    assert [p.line for p in problems] == [data.count(b"\n", 0, p.offset) + 1 for p in problems]
    assert problems == sorted(problems, key=lambda problem: problem.offset)


@given(data=plain_files(), offsets=st.lists(st.integers(0, 400), max_size=5))
def test_line_numbers(data, offsets):
    offsets = [offset for offset in offsets if offset < len(data)]
    expected = {offset: data.count(b"\n", 0, offset) + 1 for offset in offsets}
    assert verifying.lines_at(offsets, data) == expected
