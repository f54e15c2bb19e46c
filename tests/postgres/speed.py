"""Appends a second, beside a bare INSERT loop of psycopg: one process, 8 sessions, a commit each, in one run.

Run it by `make test-postgres`; it prints the best turn of each: of the store alone, and of the library's
`Session.append`.
"""

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
TURNS, EACH = 20, 100  # short turns, so that what else the machine does is fair to all
SESSIONS = 8
TEXT = "x" * 400
LINE = (
    b'{"type":"message","id":"%d","ts":"2026-01-02T03:04:05.000Z","kind":"user","role":"user","parts":[{"text":"'
    + TEXT.encode()
    + b'"}]}\n'
)


def bare(url, count=COUNT):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS bare")
        connection.execute(
            "CREATE TABLE bare (session text, number bigint, line bytea, PRIMARY KEY (session, number))"
        )
        began = time.perf_counter()
        for number in range(count):
            values = (f"s{number % SESSIONS}", number, LINE % number)
            connection.execute("INSERT INTO bare (session, number, line) VALUES (%s, %s, %s)", values)
        return count / (time.perf_counter() - began)


def ours(env, turn, count=COUNT):
    paths = [path_of(env, f"t{turn}s{number}") for number in range(SESSIONS)]
    for path in paths:
        log.append(env, path, lambda _: LINE % 0, create=True)
    began = time.perf_counter()
    for number in range(count):
        line = LINE % (number + 1)
        log.append(env, paths[number % SESSIONS], lambda _, line=line: line)
    return count / (time.perf_counter() - began)


def library(turn, count=COUNT):
    sessions = [Session.open(f"library-{turn}-{number}", create=True) for number in range(SESSIONS)]
    for session in sessions:
        session.append(TEXT)
    began = time.perf_counter()
    for number in range(count):
        sessions[number % SESSIONS].append(TEXT)
    return count / (time.perf_counter() - began)


def main():
    for cluster in postgres_server.cluster():
        url = cluster.database("speed")
        with tempfile.TemporaryDirectory() as home:
            os.environ |= {"CODEH_HOME": home, "CODEH_STORE": url}
            rates = {"INSERT": [], "store": [], "library": []}
            for turn in range(TURNS):
                rates["INSERT"].append(bare(url, EACH))
                rates["store"].append(ours(Env(), turn, EACH))
                rates["library"].append(library(turn, EACH))
            for name, measured in rates.items():
                ratio = max(measured) / max(rates["INSERT"])
                print(
                    f"{name}: {max(measured):,.0f} a second, {ratio:.2f} x INSERT (the bound of the others: 0.5)"
                )


if __name__ == "__main__":
    main()
