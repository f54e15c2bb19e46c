"""Concurrent writers of one session: `helpers/worker.py append|hold PATH …`."""

import os
import sys

import orjson

from codeh_history.base.env import Env
from codeh_history.store import log


def append(path, name, count):
    """Append COUNT messages NAME-0, NAME-1, …"""
    for number in range(int(count)):
        line = {"type": "message", "id": f"{name}-{number}", "kind": "user", "role": "user", "parts": []}
        log.append(Env(), path, lambda _, line=line: orjson.dumps(line) + b"\n", create=True)


def hold(path):
    """Lock the session, print `held`, and keep the lock until stdin ends."""
    fd, _ = log.open_locked(path, create=False, wait=30)
    print("held", flush=True)
    sys.stdin.read()
    os.close(fd)


if __name__ == "__main__":
    {"append": append, "hold": hold}[sys.argv[1]](*sys.argv[2:])
