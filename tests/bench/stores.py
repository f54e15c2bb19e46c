"""Appends a second to Postgres: ours beside those that the agents' packages bring, all in one run on one cluster.

One process, 8 sessions, one append after another, an item and a commit each, `fsync` on, through the
Unix socket; again with a millisecond more a commit, as disks have it whose cache does not outlive the power.
A bare INSERT of psycopg is what each turn's rates are divided by.

Run it by `make bench-stores`, which installs what it compares with into `.stores`.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from importlib.metadata import version
from typing import NamedTuple

import asyncpg
import psycopg
import speed
from agents.extensions.memory import SQLAlchemySession
from postgres_session_store import PostgresSessionStore
from sqlalchemy.ext.asyncio import create_async_engine

import postgres_server
from codeh_history.adapters.openai_agents import Session as AgentsSession
from codeh_history.base.env import Env

TURNS = 3
DATABASE = "bench"
SLOWER = ("commit_delay=1000", "commit_siblings=0")  # microseconds that each commit waits before it syncs
ITEM = {"role": "user", "content": speed.TEXT}  # of openai-agents
ENTRY = {"type": "user", "message": ITEM}  # of claude-agent-sdk
PACKAGES = ("openai-agents", "claude-agent-sdk", "SQLAlchemy", "asyncpg", "psycopg")


class Place(NamedTuple):
    """Where a turn writes: a database, and names that no turn before has used."""

    cluster: postgres_server.Cluster
    url: str
    env: Env
    turn: int

    def names(self, whose):
        return [f"{whose}-{self.turn}-{number}" for number in range(speed.SESSIONS)]

    def words(self):
        """How asyncpg is told what psycopg reads from the URL."""
        where = self.cluster
        return {
            "host": str(where.folder),
            "port": where.port,
            "user": "postgres",
            "database": DATABASE,
        }


async def rate(appends):
    """Appends a second, once each session is there."""
    for append in appends:
        await append()
    began = time.perf_counter()
    for number in range(speed.COUNT):
        await appends[number % len(appends)]()
    return speed.COUNT / (time.perf_counter() - began)


async def adapter(place):
    sessions = [AgentsSession(name) for name in place.names("agents")]
    return await rate([lambda one=one: one.add_items([ITEM]) for one in sessions])


async def openai_agents(place):
    engine = create_async_engine("postgresql+asyncpg://", connect_args=place.words())
    made = {"engine": engine, "create_tables": True}
    sessions = [SQLAlchemySession(name, **made) for name in place.names("sql")]
    try:
        return await rate([lambda one=one: one.add_items([ITEM]) for one in sessions])
    finally:
        await engine.dispose()


async def claude_agent_sdk(place):
    async with asyncpg.create_pool(**place.words(), min_size=1) as pool:
        store = PostgresSessionStore(pool)
        await store.create_schema()
        keys = [{"project_key": "bench", "session_id": name} for name in place.names("claude")]
        return await rate([lambda key=key: store.append(key, [ENTRY]) for key in keys])


CONTENDERS = {
    "INSERT": lambda place: speed.bare(place.url),
    "store": lambda place: speed.ours(place.env, place.turn),
    "library": lambda place: speed.library(place.turn),
    "adapter for openai-agents": lambda place: asyncio.run(adapter(place)),
    "openai-agents SQLAlchemySession": lambda place: asyncio.run(openai_agents(place)),
    "claude-agent-sdk PostgresSessionStore": lambda place: asyncio.run(claude_agent_sdk(place)),
}


def settings(url):
    """What the server says of itself, so that nobody is faster by promising less."""
    names = ("server_version", "fsync", "synchronous_commit", "commit_delay")
    with psycopg.connect(url) as connection:
        return ", ".join(f"{name} {connection.execute(f'SHOW {name}').fetchone()[0]}" for name in names)


def measure(cluster):
    """The rates of each contender, one a turn."""
    url = cluster.database(DATABASE)
    print(f"\n{settings(url)}")
    found = {name: [] for name in CONTENDERS}
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"CODEH_HOME": home, "CODEH_STORE": url}
        for turn in range(TURNS):
            place = Place(cluster, url, Env(), turn)
            for name, contender in CONTENDERS.items():
                found[name].append(contender(place))
        assert not os.path.exists(os.path.join(home, "sessions")), "ours were files"
    return found


def main():
    print(", ".join(f"{name} {version(name)}" for name in PACKAGES))
    for more in ((), SLOWER):
        for cluster in postgres_server.cluster(*more):
            found = measure(cluster)
        for name, rates in found.items():
            ratios = [one / bare for one, bare in zip(rates, found["INSERT"], strict=True)]
            print(f"{name:40} {max(rates):6,.0f}/s  {min(ratios):.2f} to {max(ratios):.2f} x INSERT")


if __name__ == "__main__":
    main()
