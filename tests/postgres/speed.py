"""Appends a second, beside a bare INSERT loop of psycopg: one process, 8 sessions, a commit each, in one run.

Run it by `make test-postgres`; it prints both, and their ratio in turns, the better of three.
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
from codeh_history.base.env import Env
from codeh_history.store import log
from codeh_history.store.paths import path_of

COUNT = 1500
SESSIONS = 8
LINE = (
    b'{"type":"message","id":"%d","ts":"2026-01-02T03:04:05.000Z","kind":"user","role":"user","parts":[{"text":"'
    + b"x" * 400
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


def main() -> None:
    for cluster in postgres_server.cluster():
        url = cluster.database("speed")
        with tempfile.TemporaryDirectory() as home:
            env = Env({**os.environ, "CODEH_HOME": home, "CODEH_STORE": url})
            ratios = []
            for turn in range(3):
                there, here = bare(url), ours(env, turn)
                ratios.append(here / there)
                print(f"INSERT {there:,.0f}/s, append {here:,.0f}/s, ratio {ratios[-1]:.2f}")
            print(f"best ratio: {max(ratios):.2f} (bound: 0.5)")


if __name__ == "__main__":
    main()
