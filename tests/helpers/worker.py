"""Concurrent writers: `helpers/worker.py append|hold PATH …`, `helpers/worker.py spread WRITER COUNT SESSIONS`."""

import os
import sys

import orjson

from codeh_history.base.env import Env
from codeh_history.store import log
from codeh_history.store.paths import path_of


def append(path, name, count):
    """Append COUNT messages NAME-0, NAME-1, …"""
    for number in range(int(count)):
        line = {"type": "message", "id": f"{name}-{number}", "kind": "user", "role": "user", "parts": []}
        log.append(Env(), path, lambda _, line=line: orjson.dumps(line) + b"\n", create=True)


def spread(writer, count, sessions):
    """Append COUNT messages to SESSIONS sessions in turn; print each id once it is acknowledged."""
    env = Env()
    for number in range(int(count)):
        append(path_of(env, f"s{(int(writer) * 7 + number) % int(sessions)}"), f"w{writer}n{number}", 1)
        print(f"w{writer}n{number}-0", flush=True)


def hold(path):
    """Lock the session, print `held`, and keep the lock until stdin ends."""
    fd, _ = log.open_locked(path, create=False, wait=30)
    print("held", flush=True)
    sys.stdin.read()
    os.close(fd)


if __name__ == "__main__":
    {"append": append, "hold": hold, "spread": spread}[sys.argv[1]](*sys.argv[2:])
