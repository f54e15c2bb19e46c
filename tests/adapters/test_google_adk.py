"""google-adk as its users have it: a runner, an agent with a tool, a model of the test's own."""

import asyncio

import pytest

pytest.importorskip("google.adk", reason="google-adk is installed by `make test-adapters`")
from google.adk.agents import LlmAgent
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai import types

from adapted import together
from codeh_history.adapters.google_adk import SessionService
from in_process import run_in_process, run_ok, summarized

WHO = {"app_name": "My app", "user_id": "user:1"}
ONE = {**WHO, "session_id": "s 1"}


def content(role, *parts):
    return types.Content(role=role, parts=list(parts))


def events():
    call = types.FunctionCall(id="c1", name="ls", args={"path": None, "n": 1})
    usage = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=3, candidates_token_count=4, total_token_count=7
    )
    answer = types.FunctionResponse(id="c1", name="ls", response={"found": ["a.txt"], "more": None})
    image = types.Blob(data=bytes(range(256)), mime_type="image/png")
    common = {"invocation_id": "i1"}
    return [
        Event(author="user", **common, content=content("user", types.Part(text="What is it?"), types.Part(inline_data=image))),
        Event(
            author="root", **common, model_version="gemini-2.5-flash", usage_metadata=usage, long_running_tool_ids={"c1"},
            content=content("model", types.Part(text="I look.", thought=True), types.Part(function_call=call, thought_signature=b"\xff\xfe\xfb")),
        ),
        Event(
            author="root", **common, branch="root.below", content=content("user", types.Part(function_response=answer)),
            actions=EventActions(state_delta={"a": None, "b": {"c": [1]}, "user:y": 4, "app:x": 5, "temp:t": 1}),
        ),
        Event(author="root", **common, actions=EventActions(state_delta={"c": 1.5}, artifact_delta={"f": 1})),
        Event(author="root", **common, content=types.Content(role="model")),
        Event(author="root", **common, content=content("model", types.Part(text="A file.")), custom_metadata={"k": [None]}),
        Event(author="root", **common, error_code="SAFETY", error_message="No."),
    ]  # fmt: skip


async def filled(service):
    session = await service.create_session(**ONE, state={"a": 1, "app:x": 2, "user:y": 3, "temp:t": 0})
    for event in events():
        await service.append_event(session, event)
    return session


def test_events_and_state_round_trip(home):
    async def work():
        mine, theirs = SessionService(home), InMemorySessionService()
        session, other = await filled(mine), await filled(theirs)
        read = await SessionService(home).get_session(**ONE)
        assert read.events == session.events
        kept = await theirs.get_session(**ONE)
        assert [event.content for event in read.events] == [event.content for event in kept.events]
        assert read.state == kept.state == {"a": None, "b": {"c": [1]}, "c": 1.5, "user:y": 4, "app:x": 5}
        assert session.state == other.state
        assert read.last_update_time == read.events[-1].timestamp
        whole, after = read.events, {"after_timestamp": read.events[3].timestamp}
        for config, start in (({"num_recent_events": 2}, -2), ({"num_recent_events": 0}, None), (after, 3)):
            part = await mine.get_session(**ONE, config=GetSessionConfig(**config))
            assert part.events == (whole[start:] if start else [])

    asyncio.run(work())


def test_sessions_are_separate(home):
    async def work():
        service = SessionService(home)
        names = [
            ("a", "b-c", "d"),
            ("a-b", "c", "d"),
            ("a", "b_c", "d"),
            ("a", "b-c", "../d"),
            ("a", "b-c", ""),
        ]
        for app, user, id in names:
            made = await service.create_session(
                app_name=app, user_id=user, session_id=id, state={"app:n": app, "user:n": user, "n": id}
            )
            assert made.id == id or not id
        for app, who, count in (("a", {}, 4), ("a", {"user_id": "b-c"}, 3), ("a-b", {}, 1), ("x", {}, 0)):
            listed = (await service.list_sessions(app_name=app, **who)).sessions
            assert len(listed) == count
            assert all(
                it.state["app:n"] == it.app_name and it.state["user:n"] == it.user_id for it in listed
            )
        with pytest.raises(AlreadyExistsError):
            await service.create_session(app_name="a", user_id="b-c", session_id="d")
        assert await service.get_user_state(app_name="a", user_id="b_c") == {"n": "b_c"}
        assert await service.get_session(app_name="a", user_id="c", session_id="d") is None

    asyncio.run(work())


def test_deleted_sessions_are_in_the_trash(home):
    async def work():
        service = SessionService(home)
        session = await filled(service)
        await service.delete_session(**ONE)
        await service.delete_session(**ONE)
        assert await service.get_session(**ONE) is None
        assert (await service.list_sessions(**WHO)).sessions == []
        with pytest.raises(SessionNotFoundError):
            await service.append_event(session, events()[0])
        assert len(await service.get_user_state(**WHO)) == 1

    asyncio.run(work())
    assert len(list((home / "trash").iterdir())) == 1


def test_repeated_event_is_stored_once(home):
    async def work():
        service = SessionService(home)
        session = await service.create_session(**ONE)
        event = events()[0]
        for _ in range(2):
            await service.append_event(session, event)
        partial = Event(author="root", partial=True, content=content("model", types.Part(text="A")))
        assert await service.append_event(session, partial) is partial
        assert (await service.get_session(**ONE)).events == [event]

    asyncio.run(work())


def log(home):
    (name,) = [path.stem for path in (home / "sessions").iterdir() if "-s_1-" in path.name]
    return name


def test_commands_see_the_content_of_events(home):
    asyncio.run(filled(SessionService(home)))
    shown = run_in_process("show", log(home), "--jsonl").lines
    assert [message["kind"] for message in shown] == "info user codeh tool info info codeh info".split()
    assert (shown[2]["model"], shown[2]["usage"]["input"]) == ("gemini-2.5-flash", 3)
    for provider in ("gemini", "anthropic", "openai-responses"):
        body = run_in_process(
            "payload", log(home), "--to", provider, "--model", "gemini-2.5-flash", "--prefill"
        )
        assert (body.code, b"A file." in body.out) == (0, True)


def test_changes_by_commands_are_seen(home):
    async def work():
        return await SessionService(home).get_session(**ONE)

    asyncio.run(filled(SessionService(home)))
    name = log(home)
    shown = run_in_process("show", name, "--jsonl").lines
    answer = next(line for line in shown if line["parts"][0].get("text") == "A file.")
    run_in_process("update", answer["id"], "-s", name, "-m", "A text file.")
    run_in_process("append", "-s", name, "-m", "From a shell.")
    read = asyncio.run(work())
    texts = [event.content.parts[0].text for event in read.events[-3:] if event.content]
    assert texts == ["A text file.", "From a shell."]
    assert (read.events[-3].custom_metadata, read.events[-1].author) == ({"k": [None]}, "user")
    state = read.state
    assert summarized(name, home).code == 0
    read = asyncio.run(work())
    assert read.state == state
    texts = [event.content.parts[0].text for event in read.events if event.content]
    assert texts[-1] == "From a shell."
    assert len(read.events) < 6


class Model(BaseLlm):
    """Calls the tool about a number, else answers with how much it was told."""

    async def generate_content_async(self, llm_request, stream=False):
        last = llm_request.contents[-1].parts[0]
        part = types.Part(text=f"Told {len(llm_request.contents)}.")
        if last.text and last.text.isdigit():
            call = types.FunctionCall(name="remember", args={"number": int(last.text)})
            part = types.Part(function_call=call)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def remember(number, tool_context):
    """Keeps a number."""
    tool_context.state["number"] = number
    tool_context.state["user:numbers"] = [*tool_context.state.get("user:numbers", []), number]
    return {"kept": number}


async def talk(service, *prompts):
    agent = LlmAgent(name="root", model=Model(model="fake"), instruction="Be brief.", tools=[remember])
    runner = Runner(agent=agent, app_name=WHO["app_name"], session_service=service)
    if await service.get_session(**ONE) is None:
        await service.create_session(**ONE)
    who = {"user_id": WHO["user_id"], "session_id": ONE["session_id"]}
    for prompt in prompts:
        message = content("user", types.Part(text=prompt))
        async for _ in runner.run_async(**who, new_message=message):
            pass
    return await service.get_session(**ONE)


def contents_of(session):
    """What was said, without ids and times."""
    return [
        (event.author, [(part.text, part.function_call and part.function_call.args, part.function_response and part.function_response.response) for part in event.content.parts])
        for event in session.events
    ]  # fmt: skip


def test_runner_behaves_as_with_the_packages_service(home):
    async def work():
        mine = await talk(SessionService(home), "Hi.", "7")
        mine = await talk(SessionService(home), "8", "And?")
        theirs = await talk(InMemorySessionService(), "Hi.", "7", "8", "And?")
        assert contents_of(mine) == contents_of(theirs)
        assert mine.state == theirs.state == {"number": 8, "user:numbers": [7, 8]}

    asyncio.run(work())
    run_ok("verify", log(home))


def test_two_processes_lose_and_mix_nothing(home):
    script = """
import asyncio, sys
from codeh_history.adapters.google_adk import SessionService
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.errors.already_exists_error import AlreadyExistsError
one = {"app_name": "a", "user_id": "u", "session_id": "s"}
async def main():
    service = SessionService(sys.argv[1])
    try:
        session = await service.create_session(**one)
    except AlreadyExistsError:
        session = await service.get_session(**one)
    for n in range(10):
        delta = {f"{sys.argv[2]}": n, f"user:{sys.argv[2]}": n}
        await service.append_event(session, Event(author=sys.argv[2], id=f"{sys.argv[2]} {n}", invocation_id="i", actions=EventActions(state_delta=delta)))
asyncio.run(main())
"""
    together(script, home)
    read = asyncio.run(SessionService(home).get_session(app_name="a", user_id="u", session_id="s"))
    for who in "01":
        assert [int(event.id.split()[1]) for event in read.events if event.author == who] == list(range(10))
    assert read.state == {"0": 9, "1": 9, "user:0": 9, "user:1": 9}
