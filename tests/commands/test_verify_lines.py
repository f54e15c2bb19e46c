"""What can be wrong with the lines of a log."""

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.commands.verify import session as verifying
from codeh_history.store.resolve import Target

HEAD = {"type": "session", "version": 1, "id": "s"}


TEXT = [{"text": "x"}]


def m(id, **fields):
    return {"type": "message", "id": id, "kind": "user", "role": "user", "parts": TEXT, **fields}


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


@pytest.mark.parametrize(
    ("lines", "problems"),
    [
        ([HEAD, m("a"), m("b")], []),
        ([m("a")], []),
        ([HEAD, m("a"), b"", b"  "], []),
        ([HEAD, b"not json", m("a"), b"[]"], ["2 not JSON", "4 not an object"]),
        ([HEAD, b"\0\0\0", m("a")], ["2 3 NUL bytes"]),
        ([HEAD, m("a"), HEAD], ["3 a second header"]),
        ([{**HEAD, "id": "other"}], ["1 the header says session other, the file's name s"]),
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
    ],
)  # fmt: skip
def test_lines_and_what_they_name(lines, problems, tmp_path):
    got = found(tmp_path, *lines)
    assert len(got) == len(problems), got
    assert all(line.startswith(start) for line, start in zip(got, problems, strict=True)), got
