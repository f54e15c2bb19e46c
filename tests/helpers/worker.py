"""Concurrent writers of one session: `helpers/worker.py append|run|replace|hold PATH …`."""

import fcntl
import os
import sys
from pathlib import Path

import orjson

from codeh_history.base.env import Env
from codeh_history.main import run
from codeh_history.store import file, log


def append(path, name, count):
    """Append COUNT messages NAME-0, NAME-1, …"""
    for number in range(int(count)):
        line = {"type": "message", "id": f"{name}-{number}", "kind": "user", "role": "user", "parts": []}
        log.append(Env(), path, lambda _, line=line: orjson.dumps(line) + b"\n", create=True)


def run_appends(session, name, count):
    """The same through the program's command line."""
    env = Env()
    for number in range(int(count)):
        assert run(["append", "-q", "-s", session, "-m", f"{name}-{number}"], env) == 0


def replace(path, stop):
    """Replace the file by its own content, as `gc` and `persist` do, until STOP exists."""
    while not Path(stop).exists():
        fd, _ = log._open_locked(path, create=False, wait=30)
        new = f"{path}.tmp"
        copy = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        fcntl.flock(copy, fcntl.LOCK_EX)
        os.write(copy, file.pread_all(fd, os.fstat(fd).st_size))
        os.replace(new, path)
        os.close(copy)
        os.close(fd)


def hold(path):
    """Lock the session, print `held`, and keep the lock until stdin ends."""
    fd, _ = log._open_locked(path, create=False, wait=30)
    print("held", flush=True)
    sys.stdin.read()
    os.close(fd)


if __name__ == "__main__":
    {"append": append, "run": run_appends, "replace": replace, "hold": hold}[sys.argv[1]](*sys.argv[2:])
