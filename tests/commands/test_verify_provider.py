"""What a provider would refuse, and of which message."""

import orjson
import pytest

import strategies as some
from codeh_history import providers
from codeh_history.base.env import Env
from codeh_history.commands.verify import session as verifying
from codeh_history.commands.verify.provider import refusals, source_of
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
def test_a_session_that_ends_with_an_answer_is_refused_by_nobody(format):
    lines = [HEAD, m("a"), m("b", kind="codeh", role="model", parts=[{"text": "ok "}])]
    assert refusals(some.view_of(lines), format, "claude-opus-4-8") == []


@pytest.mark.parametrize("format", ["gemini", "anthropic"])
def test_an_empty_message_is_told_with_its_id(format):
    found = refusals(some.view_of([HEAD, m("a"), m("b", parts=[])]), format, "claude-opus-4-8")
    assert [refusal.id for refusal in found] == ["b"]
