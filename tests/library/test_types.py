"""Every public name as a program would use it; mypy checks this file strictly (`make lint`)."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Iterator
from pathlib import Path
from typing import Any, assert_type

import pytest

import codeh_history
from codeh_history import (
    Answer,
    BadData,
    BudgetUnreachable,
    Filtered,
    HistoryError,
    InputOutput,
    NegativeAnswer,
    NotFound,
    ProviderRefused,
    Session,
    Stream,
    SummarizerFailed,
    TryAgain,
    Usage,
    __version__,
)

ANSWER = b'{"candidates":[{"content":{"role":"model","parts":[{"text":"Yes."}]},"finishReason":"STOP"}]}'
CODES = {
    NegativeAnswer: 1, Usage: 2, NotFound: 3, ProviderRefused: 4, BudgetUnreachable: 5, SummarizerFailed: 6,
    BadData: 65, HistoryError: 65, InputOutput: 74, TryAgain: 75,
}  # fmt: skip


def answers(body: bytes) -> Iterator[bytes]:
    assert body.startswith(b"{")
    yield ANSWER[:20]
    yield ANSWER[20:]


async def answer(body: bytes) -> bytes:
    assert body.startswith(b"{")
    return ANSWER


async def pieces() -> AsyncIterator[bytes]:
    yield ANSWER


async def tool(call: dict[str, Any]) -> str:
    return str(call["name"])


def plain_tool(call: dict[str, Any]) -> dict[str, Any]:
    return {"args": call["args"]}


def plain_writer(prompt: str) -> str:
    return prompt


async def writer(prompt: str) -> str:
    return prompt[:0]


def test_what_is_appended(session: Session, tmp_path: Path) -> None:
    assert_type(session.append("one", role="user", pin=True, key="k"), str)
    assert_type(session.append(["two", "three"], references=[{"id": 1, "text": "t"}]), str)
    assert_type(session.append(call=["ls"], args=[{"path": "."}], call_id="c"), str)
    assert_type(session.append("a", result="ls", failed=True), str)
    (tmp_path / "a.txt").write_text("attached")
    assert_type(session.append(attach=[tmp_path / "a.txt"], file=tmp_path / "a.txt"), str)
    assert_type(session.extend([{"role": "user", "parts": [{"text": "x"}]}], redact=True), list[str])
    entry = {"userMessage": "p", "assistantResponse": "q", "id": "e", "timestamp": "2026-01-01T00:00:00Z"}
    session.append(exchange=entry | {"source": "direct", "toolsUsed": []})
    assert_type(session.stream("model", kind="codeh", max_bytes="1m"), Stream)
    with session.stream("model") as stream:
        stream.write("x")
        assert_type(list(stream.through(["y"])), list[str])
    assert_type(stream.id, str | None)
    assert_type(session.update(":1", "ONE", pending=True), str)
    assert_type(session.commit(), str | None)
    session.set({"title": "T", "tags": ["a"], "system": "Be brief.", "tools": [], "model.gemini": None})
    assert_type(session.settings["title"], Any)
    assert_type(session.undo(), list[tuple[str, str]])
    assert_type(session.clear(), str)


def test_what_is_asked(session: Session) -> None:
    session.append("hi")
    assert_type(session.append_response(ANSWER), str)
    session.append("again")
    echoed: list[str] = []
    reply = session.ask("Well?", to="gemini", via=answers, echo=echoed.append, set={"a": 1}, max_tokens=10)
    assert_type(reply, Answer)
    assert (reply.text, str(reply), reply.calls) == ("Yes.", "Yes.", [])
    assert_type(reply.id, str)

    async def talk() -> None:
        assert_type(await session.ask("And?", to="gemini", via=answer), Answer)
        assert_type(await session.calls(tool), list[dict[str, Any]])
        assert_type(await session.summarize(writer), dict[str, Any] | None)
        waits = session.append_response(pieces(), "gemini", max_bytes=1000, echo=print)
        assert_type(waits, Awaitable[str])
        assert_type(await waits, str)
        async with session.stream("model") as stream:
            async for _ in stream.athrough(texts()):
                pass

    async def texts() -> AsyncIterator[str]:
        yield "x"

    asyncio.run(talk())
    assert_type(session.calls(strict=True), list[dict[str, Any]])
    assert_type(session.calls(plain_tool), list[dict[str, Any]])
    assert_type(session.summarize(plain_writer, min_batch=3), dict[str, Any] | None)


def test_what_is_read(session: Session, home: Path) -> None:
    session.append("hi")
    with Session.open(session.id, home=home) as same:
        assert_type(same.messages, list[dict[str, Any]])
        assert_type(same.items, list[dict[str, Any]])
        assert same.path == session.path
        assert len(same.view.messages) == 1
    body = session.payload("anthropic", model="m", budget=9000, system=Path(__file__), stream=True)
    assert_type(body, bytes)
    assert_type(session.export("markdown", redact=True), bytes)
    assert_type(session.curate(only=["pairs"], in_place=True), Filtered)
    assert_type(session.compact("1k", keep_last=1), Filtered)
    assert_type(session.repair(unanswered="stub").output, bytes)
    assert_type(session.curate().report, list[dict[str, Any]])
    assert_type(session.fork(at=":1", into="other"), Session)
    session.close()


@pytest.mark.parametrize(("error", "code"), CODES.items())
def test_errors_have_codes(error: type[HistoryError], code: int) -> None:
    assert issubclass(error, HistoryError)
    assert pickle.loads(pickle.dumps(error("why"))).code == code


def test_the_public_names_are_these() -> None:
    names = {name for name in globals() if name in codeh_history.__all__}
    assert names == set(codeh_history.__all__)
    stub = Path(str(codeh_history.__file__)).with_suffix(".pyi").read_text()
    assert set(re.findall(r'^    "(\w+)",$', stub, re.MULTILINE)) == names
    assert __version__.count(".") == 2


def test_the_types_are_those_of_the_methods() -> None:
    """After a change to a method or an option: `make generate`, and look at what it means for those who call it."""
    from api import FILE, text

    assert FILE.read_text() == text()


def test_every_public_method_is_used_here() -> None:
    used = inspect.getsource(sys.modules[__name__])
    for name in vars(Session):
        assert name.startswith("_") or f".{name}" in used


def test_whoever_imports_the_package_sees_its_types() -> None:
    assert Path(str(codeh_history.__file__)).with_name("py.typed").exists()
