"""Models and tools as functions of the program: plain ones, and async ones in its event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from codeh_history import BadData, ProviderRefused, Session, SummarizerFailed, TryAgain, Usage
from inside import inside
from support import lines, session_path

ANSWER = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "Rayleigh."}]}, "finishReason": "STOP"}]
}
CALL = {"functionCall": {"name": "ls", "args": {"path": "."}}}
CALLING = {"candidates": [{"content": {"role": "model", "parts": [CALL]}, "finishReason": "STOP"}]}
EVENTS = [
    b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Ray"}]}}]}\r\n\r\n',
    b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"leigh."}]},"finishReason":"STOP"}]}\r\n\r\n',
]


class Model:
    """Answers, and keeps what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []

    def __call__(self, body: bytes) -> Any:
        self.asked.append(orjson.loads(body))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def wait(self, body: bytes) -> Any:
        await asyncio.sleep(0)
        return self(body)

    async def pieces(self, body: bytes) -> AsyncIterator[bytes]:
        for piece in self(body):
            await asyncio.sleep(0)
            yield piece


@pytest.mark.parametrize("answer", [ANSWER, orjson.dumps(ANSWER), orjson.dumps(ANSWER).decode(), EVENTS, iter(EVENTS)],
                         ids=["object", "bytes", "text", "list", "iterator"])  # fmt: skip
def test_a_function_answers(session: Session, answer: Any) -> None:
    heard: list[str] = []
    model = Model(answer)
    said = session.ask("Why?", to="gemini", via=model, echo=heard.append)
    assert (said.text, str(said), "".join(heard)) == ("Rayleigh.", "Rayleigh.", "Rayleigh.")
    assert model.asked[0]["contents"][-1]["parts"] == [{"text": "Why?"}]
    assert session.messages[-1]["id"] == said.id


def test_what_a_function_answers_is_stored_as_what_a_command_does(home: Path, tmp_path: Path) -> None:
    (tmp_path / "answer").write_bytes(b"".join(EVENTS))
    fixed = {"CODEH_ID_SEED": "s", "CODEH_NOW": "2026-01-02T03:04:05Z"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in fixed.items():
            patch.setenv(name, value)
        session = Session.open("demo", create=True, home=home)
    session.ask("Why?", to="gemini", via=lambda _: EVENTS, system="Be brief.")
    ask = [
        "ask",
        "-s",
        "demo",
        "-m",
        "Why?",
        "--to",
        "gemini",
        "--via",
        f"cat {tmp_path}/answer",
        "--system",
        "Be brief.",
    ]
    assert inside(*ask, home=tmp_path / "other", env=fixed).text == "Rayleigh."
    ours, theirs = (session_path(h, "demo").read_bytes() for h in (home, tmp_path / "other"))
    assert [r for r in lines(ours) if r["type"] != "delta"] == [
        r for r in lines(theirs) if r["type"] != "delta"
    ]


def test_a_command_answers_too(session: Session, tmp_path: Path) -> None:
    (tmp_path / "answer").write_bytes(orjson.dumps(ANSWER))
    heard: list[str] = []
    said = session.ask("Why?", to="gemini", via=f"cat {tmp_path}/answer", echo=heard.append)
    assert (said.text, heard) == ("Rayleigh.", ["Rayleigh."])


def test_an_async_function_is_awaited_in_its_own_loop(session: Session) -> None:
    async def talk() -> list[str]:
        loop = asyncio.get_running_loop()

        async def model(body: bytes) -> dict[str, Any]:
            assert asyncio.get_running_loop() is loop
            return ANSWER

        said = [await session.ask("one", to="gemini", via=model)]
        said += await asyncio.gather(
            Session.open("other", create=True, home=Path(session.path).parent.parent).ask(
                "x", to="gemini", via=model
            ),
            session.ask("two", to="gemini", via=Model(EVENTS).pieces),
        )
        said.append(
            await session.ask("three", to="gemini", via=Model(ANSWER))
        )  # a plain one is there at once
        return [one.text for one in said]

    assert asyncio.run(talk()) == ["Rayleigh."] * 4
    assert [m["parts"][0]["text"] for m in session.messages][::2] == ["one", "two", "three"]


def test_what_a_function_raises_comes_out_and_the_prompt_is_sent_again(session: Session) -> None:
    with pytest.raises(ConnectionError) as raised:
        session.ask("Why?", to="gemini", via=Model(ConnectionError("no route")))
    assert raised.value.__notes__ == ["the prompt is stored: `ask` without a text sends it"]
    assert session.ask(to="gemini", via=Model(ANSWER)).text == "Rayleigh."
    assert len(session.messages) == 2


@pytest.mark.parametrize("ends", ["raises", "cut"])
def test_what_came_before_the_end_failed_stays_pending(session: Session, ends: str) -> None:
    def half() -> Iterator[bytes]:
        yield EVENTS[0]
        if ends == "raises":
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError if ends == "raises" else TryAgain):
        session.ask("Why?", to="gemini", via=lambda _: half())
    assert session.items[-1]["pending"]["parts"] == [{"text": "Ray"}]
    assert session.items[-1]["pending"]["aborted"] in (
        "ZeroDivisionError",
        "the answer ended before its end (no finishReason)",
    )


def test_a_cancelled_ask_leaves_pending_what_came(session: Session) -> None:
    async def model(body: bytes) -> AsyncIterator[bytes]:
        yield EVENTS[0]
        await asyncio.sleep(60)
        yield EVENTS[1]

    async def talk() -> None:
        task = asyncio.ensure_future(session.ask("Why?", to="gemini", via=model))
        while not any(item["pending"] for item in session.items):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(talk())
    assert session.items[-1]["pending"]["aborted"] == "CancelledError"


@pytest.mark.parametrize(
    "wrong", [{"to": "gemini"}, {"via": lambda _: ANSWER}, {"to": "x", "via": lambda _: ANSWER}]
)
def test_what_is_not_said_is_asked_for_before_anything_is_stored(
    session: Session, wrong: dict[str, Any]
) -> None:
    with pytest.raises(Usage):
        session.ask("Why?", **wrong)
    assert session.messages == []


def test_a_providers_error_is_one_of_ours(session: Session) -> None:
    refused = {"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT"}}
    with pytest.raises(ProviderRefused) as raised:
        session.ask("Why?", to="gemini", via=Model(refused))
    assert raised.value.code == 4


@pytest.mark.parametrize("whole", [orjson.dumps(ANSWER), EVENTS], ids=["bytes", "pieces"])
def test_a_response_is_stored(session: Session, whole: Any) -> None:
    session.append("Why?")
    id = session.append_response(whole)
    assert session.messages[-1]["parts"] == [{"text": "Rayleigh."}]
    assert session.messages[-1]["id"] == id


def test_a_response_that_is_read_with_await(session: Session) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for event in EVENTS:
            yield event

    session.append("Why?")
    id = asyncio.run(_awaited(session.append_response(chunks(), "gemini")))
    assert session.messages[-1]["id"] == id


async def _awaited(given: Any) -> Any:
    return await given


def test_a_response_longer_than_allowed_is_refused(session: Session) -> None:
    session.append("Why?")
    with pytest.raises(BadData):
        session.append_response(EVENTS, max_bytes=100)
    assert session.items[-1]["pending"]["parts"] == [{"text": "Rayleigh."}]


def _tool(call: dict[str, Any]) -> Any:
    return {"files": [call["args"]["path"]]}


async def _slow_tool(call: dict[str, Any]) -> Any:
    await asyncio.sleep(0)
    return _tool(call)


@pytest.mark.parametrize("tool", [_tool, _slow_tool])
def test_calls_are_listed_and_answered(session: Session, tool: Any) -> None:
    assert session.ask("Look.", to="gemini", via=Model(CALLING)).calls == [CALL["functionCall"]]
    (call,) = session.calls()
    assert (call["name"], call["args"]) == ("ls", {"path": "."})
    answered = session.calls(tool)
    (done,) = asyncio.run(_awaited(answered)) if tool is _slow_tool else answered
    assert session.messages[-1]["id"] == done["result"]
    assert session.messages[-1]["parts"][0]["functionResponse"]["response"] == {"files": ["."]}
    assert session.calls() == []
    assert session.ask(to="gemini", via=Model(ANSWER)).text == "Rayleigh."


def test_a_tool_that_raises_is_a_failed_result(session: Session) -> None:
    session.ask("Look.", to="gemini", via=Model(CALLING))
    session.calls(lambda call: 1 / 0)
    response = session.messages[-1]["parts"][0]["functionResponse"]["response"]
    assert response == {"error": "Tool call ls failed with error: division by zero"}


def _brief(prompt: str) -> str:
    assert "word 0" in prompt
    return "The user asked about words."


async def _slowly(prompt: str) -> str:
    return _brief(prompt)


@pytest.mark.parametrize("via", [None, _brief, _slowly])
def test_a_summary_is_written_where_it_is_due(session: Session, via: Any) -> None:
    for number in range(14):
        session.extend([{"role": "user", "parts": [{"text": f"word {number} " * 30}]},
                        {"role": "model", "parts": [{"text": "yes"}]}])  # fmt: skip
    done = session.summarize(via, max_conversations=4)
    done = asyncio.run(_awaited(done)) if via is _slowly else done
    assert (done["action"], done["covered"]) == ("summarized", 10)
    assert len(session.messages) == 8
    assert session.summarize(max_conversations=4) is None
    assert session.undo()[0][0] == "summary"
    assert len(session.messages) == 28


def test_a_summary_that_is_none_changes_nothing(session: Session) -> None:
    session.extend([{"role": "user", "parts": [{"text": f"{n}"}]} for n in range(20)])
    before = Path(session.path).read_bytes()
    with pytest.raises(SummarizerFailed):
        session.summarize(lambda prompt: "", max_conversations=4)
    with pytest.raises(ZeroDivisionError):
        session.summarize(lambda prompt: 1 // 0, max_conversations=4)  # type: ignore[return-value]
    assert Path(session.path).read_bytes() == before
