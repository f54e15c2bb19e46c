"""Adapters over sessions that are kept in Postgres."""

import asyncio

import postgres_server
from adapted import ITEMS, together
from codeh_history.adapters.openai_agents import Session
from in_process import run_in_process, run_ok

pytestmark = postgres_server.needed


def test_items_and_two_processes(home, monkeypatch):
    script = """
import asyncio, sys
from codeh_history.adapters.openai_agents import Session
for n in range(5):
    asyncio.run(Session("demo", sys.argv[1]).add_items([{"role": "user", "content": f"{sys.argv[2]} {n}"}]))
"""
    for cluster in postgres_server.cluster(*postgres_server.FAST):
        monkeypatch.setenv("CODEH_STORE", cluster.url())
        env = {"CODEH_STORE": cluster.url()}
        run_ok("store", "init", env=env)
        session = Session("demo", home)

        async def work(session=session):
            await session.clear_session()
            assert await session.get_items() == []
            await session.add_items(ITEMS)
            assert await session.get_items() == ITEMS
            assert await session.pop_item() == ITEMS[-1]

        asyncio.run(work())
        together(script, home)
        items = asyncio.run(session.get_items())
        assert items[: len(ITEMS) - 1] == ITEMS[:-1]
        assert len(items) == len(ITEMS) - 1 + 10
        assert len(run_in_process("show", "demo", "--jsonl", env=env).lines) == len(items)
        assert not (home / "sessions").exists()
