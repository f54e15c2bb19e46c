"""openai-agents as its users have it: agents with tools, a model server on this machine."""

import asyncio

import pytest

pytest.importorskip("agents.memory", reason="openai-agents is installed by `make test-adapters`")
import agents
from agents.memory import Session as Protocol
from agents.memory import SQLiteSession
from openai import AsyncOpenAI

from codeh_history.adapters.openai_agents import Session
from fake_provider import Canned, FakeProvider
from in_process import run_in_process, run_ok

agents.set_tracing_disabled(True)


@pytest.fixture
def server():
    with FakeProvider() as fake:
        yield fake


@agents.function_tool
def get_weather(city):
    """The weather in a city."""
    return f"Rain in {city}, 12 degrees."


def agent(server, chat=False):
    client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    model = (agents.OpenAIChatCompletionsModel if chat else agents.OpenAIResponsesModel)(
        model="gpt-5.1", openai_client=client
    )
    return agents.Agent(name="helper", instructions="Be brief.", model=model, tools=[get_weather])


async def talk(server, session, chat=False):
    for prompt in ("hello", "Use get_weather, please: how is the weather?", "Why is the sky blue?"):
        await agents.Runner.run(agent(server, chat), prompt, session=session)
    return await session.get_items()


def unnamed(items):
    """Without the ids that the server counted."""
    return [
        {key: value for key, value in item.items() if key not in ("id", "call_id", "provider_data")}
        for item in items
    ]


@pytest.mark.parametrize("chat", [False, True])
def test_runner_behaves_as_with_the_packages_session(home, server, chat):
    mine = asyncio.run(talk(server, Session("demo", home), chat))
    sent = [request.body for request in server.requests]
    server.requests.clear()
    theirs = asyncio.run(talk(server, SQLiteSession("demo", home / "theirs.sqlite"), chat))
    assert len(mine) == 8
    assert unnamed(mine) == unnamed(theirs)
    field = "messages" if chat else "input"
    assert [len(body[field]) for body in sent] == [len(request.body[field]) for request in server.requests]
    assert isinstance(Session("demo", home), Protocol)


def test_session_continues_in_another_process_and_in_a_shell(home, server):
    asyncio.run(talk(server, Session("demo", home)))
    run_in_process("append", "-s", "demo", "-m", "And this from a shell.")
    run_in_process("append", "-s", "demo", "--role", "model", "-m", "Noted.")
    asyncio.run(agents.Runner.run(agent(server), "hello again", session=Session("demo", home)))
    sent = server.requests[-1].body["input"]
    assert [item.get("content") for item in sent if item.get("role") == "user"] == [
        "hello", "Use get_weather, please: how is the weather?", "Why is the sky blue?", "And this from a shell.", "hello again",
    ]  # fmt: skip
    shown = run_in_process("show", "demo", "--jsonl").lines
    kinds = "user codeh user codeh tool codeh user codeh user codeh user codeh"
    assert [message["kind"] for message in shown] == kinds.split()
    run_ok("verify", "demo", "--to", "anthropic")


def test_failed_turn_can_be_retried(home, server):
    """What the runner does about a failure leaves the session as the package's own would be."""

    async def work(session):
        await agents.Runner.run(agent(server), "hello", session=session)
        server.queue(Canned(b'{"error":{"message":"overloaded","type":"server_error"}}', 500))
        with pytest.raises(Exception, match="overloaded"):
            await agents.Runner.run(agent(server), "Why is the sky blue?", session=session)
        await agents.Runner.run(agent(server), "Why is the sky blue?", session=session)
        return await session.get_items()

    mine = asyncio.run(work(Session("demo", home)))
    assert unnamed(mine) == unnamed(asyncio.run(work(SQLiteSession("demo", home / "theirs.sqlite"))))


def test_streaming_and_a_limit(home, server):
    async def work():
        settings = agents.memory.SessionSettings(limit=2)
        session = Session("demo", home, session_settings=settings)
        for prompt in ("hello", "Why is the sky blue?", "And at sunset?"):
            streamed = agents.Runner.run_streamed(agent(server), prompt, session=session)
            async for _ in streamed.stream_events():
                pass
        assert len(await session.get_items()) == 2
        assert len(await session.get_items(100)) == 6

    asyncio.run(work())
    assert len(server.requests[-1].body["input"]) == 3


def test_two_concurrent_agents_in_one_session(home, server):
    async def work():
        await asyncio.gather(*(talk(server, Session("demo", home)) for _ in range(2)))

    asyncio.run(work())
    items = asyncio.run(Session("demo", home).get_items())
    assert len(items) == 16
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    assert sorted(calls) == sorted(
        item["call_id"] for item in items if item.get("type") == "function_call_output"
    )
