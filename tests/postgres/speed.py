"""Appends a second, beside a bare INSERT loop of psycopg: one process, 8 sessions, a commit each, in one run.

Run it by `make test-postgres`; it prints their ratios in turns, the best of three: of the store alone, and of the
library's `Session.append`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "helpers"))
import postgres_server
from codeh_history import Session
from codeh_history.base.env import Env
from codeh_history.store import log
from codeh_history.store.paths import path_of

COUNT = 1500
SESSIONS = 8
TEXT = "x" * 400
LINE = (
    b'{"type":"message","id":"%d","ts":"2026-01-02T03:04:05.000Z","kind":"user","role":"user","parts":[{"text":"'
    + TEXT.encode()
    + b'"}]}\n'
)


def bare(url: str) -> float:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS bare")
        connection.execute(
            "CREATE TABLE bare (session text, number bigint, line bytea, PRIMARY KEY (session, number))"
        )
        began = time.perf_counter()
        for number in range(COUNT):
            values = (f"s{number % SESSIONS}", number, LINE % number)
            connection.execute("INSERT INTO bare (session, number, line) VALUES (%s, %s, %s)", values)
        return COUNT / (time.perf_counter() - began)


def ours(env: Env, turn: int) -> float:
    paths = [path_of(env, f"t{turn}s{number}") for number in range(SESSIONS)]
    for path in paths:
        log.append(env, path, lambda _: LINE % 0, create=True)
    began = time.perf_counter()
    for number in range(COUNT):
        line = LINE % (number + 1)
        log.append(env, paths[number % SESSIONS], lambda _, line=line: line)
    return COUNT / (time.perf_counter() - began)


def library(turn: int) -> float:
    sessions = [Session.open(f"library-{turn}-{number}", create=True) for number in range(SESSIONS)]
    for session in sessions:
        session.append(TEXT)
    began = time.perf_counter()
    for number in range(COUNT):
        sessions[number % SESSIONS].append(TEXT)
    return COUNT / (time.perf_counter() - began)


def main() -> None:
    for cluster in postgres_server.cluster():
        url = cluster.database("speed")
        with tempfile.TemporaryDirectory() as home:
            os.environ |= {"CODEH_HOME": home, "CODEH_STORE": url}
            ratios: dict[str, list[float]] = {"store": [], "library": []}
            for turn in range(3):
                there = bare(url)
                print(f"INSERT {there:,.0f}/s", end="")
                for name, here in (("store", ours(Env(), turn)), ("library", library(turn))):
                    ratios[name].append(here / there)
                    print(f", {name} {here:,.0f}/s: {here / there:.2f}", end="")
                print()
            for name, found in ratios.items():
                print(f"{name}, best ratio: {max(found):.2f} (bound: 0.5)")


if __name__ == "__main__":
    main()
