"""What is asked, answered, called and summarized by a program, and stored."""

import asyncio
from pathlib import Path

import orjson
import pytest

from answering import ANSWER, EVENTS, Model
from codeh_history import BadData, ProviderRefused, SummarizerFailed

CALL = {"functionCall": {"name": "ls", "args": {"path": "."}}}


CALLING = {"candidates": [{"content": {"role": "model", "parts": [CALL]}, "finishReason": "STOP"}]}


def test_a_providers_error_is_one_of_ours(session):
    refused = {"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT"}}
    with pytest.raises(ProviderRefused) as raised:
        session.ask("Why?", to="gemini", via=Model(refused))
    assert raised.value.code == 4


@pytest.mark.parametrize("whole", [orjson.dumps(ANSWER), EVENTS], ids=["bytes", "pieces"])
def test_a_response_is_stored(session, whole):
    session.append("Why?")
    id = session.append_response(whole)
    assert session.messages[-1]["parts"] == [{"text": "Rayleigh."}]
    assert session.messages[-1]["id"] == id


def test_a_response_that_is_read_with_await(session):
    async def chunks():
        for event in EVENTS:
            yield event

    session.append("Why?")
    id = asyncio.run(_awaited(session.append_response(chunks(), "gemini")))
    assert session.messages[-1]["id"] == id


async def _awaited(given):
    return await given


def test_a_response_longer_than_allowed_is_refused(session):
    session.append("Why?")
    with pytest.raises(BadData):
        session.append_response(EVENTS, max_bytes=100)
    assert session.items[-1]["pending"]["parts"] == [{"text": "Rayleigh."}]


def _tool(call):
    return {"files": [call["args"]["path"]]}


async def _slow_tool(call):
    await asyncio.sleep(0)
    return _tool(call)


@pytest.mark.parametrize("tool", [_tool, _slow_tool])
def test_calls_are_listed_and_answered(session, tool):
    assert session.ask("Look.", to="gemini", via=Model(CALLING)).calls == [CALL["functionCall"]]
    (call,) = session.calls()
    assert (call["name"], call["args"]) == ("ls", {"path": "."})
    answered = session.calls(tool)
    (done,) = asyncio.run(_awaited(answered)) if tool is _slow_tool else answered
    assert session.messages[-1]["id"] == done["result"]
    assert session.messages[-1]["parts"][0]["functionResponse"]["response"] == {"files": ["."]}
    assert session.calls() == []
    assert session.ask(to="gemini", via=Model(ANSWER)).text == "Rayleigh."


def test_a_tool_that_raises_is_a_failed_result(session):
    session.ask("Look.", to="gemini", via=Model(CALLING))
    session.calls(lambda call: 1 / 0)
    response = session.messages[-1]["parts"][0]["functionResponse"]["response"]
    assert response == {"error": "Tool call ls failed with error: division by zero"}


def _brief(prompt):
    assert "word 0" in prompt
    return "The user asked about words."


async def _slowly(prompt):
    return _brief(prompt)


@pytest.mark.parametrize("via", [None, _brief, _slowly])
def test_a_summary_is_written_where_it_is_due(session, via):
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


def test_a_summary_that_is_none_changes_nothing(session):
    session.extend([{"role": "user", "parts": [{"text": f"{n}"}]} for n in range(20)])
    before = Path(session.path).read_bytes()
    with pytest.raises(SummarizerFailed):
        session.summarize(lambda prompt: "", max_conversations=4)
    with pytest.raises(ZeroDivisionError):
        session.summarize(lambda prompt: 1 // 0, max_conversations=4)  # type: ignore[return-value]
    assert Path(session.path).read_bytes() == before
