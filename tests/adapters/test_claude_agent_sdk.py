"""claude-agent-sdk: its own conformance suite, and its helpers over a store of ours."""

import asyncio
import itertools
import json
from pathlib import Path

import pytest

sdk = pytest.importorskip(
    "claude_agent_sdk", reason="claude-agent-sdk is installed by `make test-adapters`"
)
from claude_agent_sdk.testing import run_session_store_conformance  # noqa: E402

from adapted import CASES  # noqa: E402
from codeh_history.adapters.claude_agent_sdk import SessionStore  # noqa: E402
from fake_provider import FakeProvider  # noqa: E402
from in_process import run_in_process  # noqa: E402

PROJECT = "-work-demo"
ID = "5e551000-0000-4000-8000-00000000c1a0"


def test_store_conforms(tmp_path):
    homes = itertools.count()
    asyncio.run(run_session_store_conformance(lambda: SessionStore(tmp_path / str(next(homes)))))


@pytest.fixture
def store(home):
    (file,) = CASES.joinpath("sub-agent").glob("*.jsonl")
    made = SessionStore(home)
    for path in (file, *file.with_suffix("").rglob("*.jsonl")):
        below = (
            {} if path == file else {"subpath": str(path.relative_to(file.with_suffix("")).with_suffix(""))}
        )
        entries = [json.loads(line) for line in path.read_text().splitlines()]
        asyncio.run(made.append({"project_key": PROJECT, "session_id": ID, **below}, entries))
    return made


def test_package_helpers_read_the_store(store):
    async def copied():
        theirs = sdk.InMemorySessionStore()
        for below in (None, *await store.list_subkeys({"project_key": PROJECT, "session_id": ID})):
            key = {"project_key": PROJECT, "session_id": ID, **({"subpath": below} if below else {})}
            await theirs.append(key, await store.load(key))
        return theirs

    async def work():
        theirs = await copied()
        for read in (
            lambda s: sdk.get_session_messages_from_store(s, ID, "/work/demo"),
            lambda s: sdk.list_subagents_from_store(s, ID, "/work/demo"),
        ):
            mine = await read(store)
            assert mine
            assert mine == await read(theirs)
        (listed,) = await sdk.list_sessions_from_store(store, "/work/demo")
        (other,) = await sdk.list_sessions_from_store(theirs, "/work/demo")
        assert (listed.session_id, listed.summary, listed.first_prompt) == (
            ID,
            other.summary,
            other.first_prompt,
        )
        made = await sdk.fork_session_via_store(store, ID, "/work/demo")
        assert len(await sdk.list_sessions_from_store(store, "/work/demo")) == 2
        await sdk.rename_session_via_store(store, made.session_id, "A fork", "/work/demo")
        await sdk.delete_session_via_store(store, ID, "/work/demo")
        (left,) = await sdk.list_sessions_from_store(store, "/work/demo")
        assert (left.session_id, left.custom_title) == (made.session_id, "A fork")

    asyncio.run(work())


def bundled():
    return (Path(sdk.__file__).parent / "_bundled" / "claude").exists()


@pytest.mark.skipif(not bundled(), reason="the package brings no Claude Code for this machine")
def test_claude_code_resumes_from_the_store(home, tmp_path):
    """Claude Code itself, asked through the package; its own folder is empty when it goes on."""
    store = SessionStore(home)

    async def ask(server, prompt, own, resume=None):
        env = {
            "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "none", "CLAUDE_CONFIG_DIR": str(tmp_path / own), "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
        }  # fmt: skip
        options = sdk.ClaudeAgentOptions(
            session_store=store, env=env, cwd=tmp_path, model="claude-sonnet-4-5", setting_sources=[], tools=[], max_turns=1, resume=resume,
        )  # fmt: skip
        messages = [message async for message in sdk.query(prompt=prompt, options=options)]
        assert not [message for message in messages if isinstance(message, sdk.MirrorErrorMessage)]
        assert messages[-1].subtype == "success"
        return messages[-1].session_id

    async def work(server):
        id = await ask(server, "Why is the sky blue?", "one")
        return await ask(server, "And at sunset?", "two", resume=id)

    with FakeProvider(saying="Because air scatters blue light.") as server:
        id = asyncio.run(work(server))
    bodies = [request.body for request in server.requests]
    sent = [body["messages"] for body in bodies if "And at sunset?" in json.dumps(body)]
    assert [message["role"] for message in sent[-1]] == ["user", "assistant", "user"]
    (file,) = (home / "claude-code" / "projects").rglob(f"{id}.jsonl")
    shown = run_in_process("show", str(file), "--jsonl").lines
    assert [message["kind"] for message in shown] == ["user", "codeh", "user", "codeh"]
