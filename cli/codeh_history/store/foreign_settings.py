"""Store titles, tags and pins of sessions that are not imported, in `HOME/foreign.jsonl`."""

from __future__ import annotations

import os

from ..base.env import Env
from ..base.folders import ensure_dir, sync, write
from ..base.read_json import json_object
from ..session.model import Json
from ..session.records import dumps
from .read import read_bytes

NAME = "foreign.jsonl"
KEYS = ("title", "tags", "pinned")
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def keep(env: Env, session: str, values: Json) -> None:
    """Append settings of a session (`PROGRAM-ID`), durable on return; None unsets one."""
    ensure_dir(env.home)
    path = os.path.join(env.home, NAME)
    line = dumps({"session": session, "ts": env.now(), "set": values}) + b"\n"
    torn = os.path.exists(path) and read_bytes(path)[-1:] not in (b"", b"\n")
    fd = os.open(path, _APPEND, 0o600)
    try:
        write(fd, b"\n" + line if torn else line)
        sync(fd)
    finally:
        os.close(fd)


def kept(env: Env) -> dict[str, Json]:
    """Return the settings by session; lines that cannot be read are skipped."""
    by_session: dict[str, Json] = {}
    path = os.path.join(env.home, NAME)
    for line in map(json_object, read_bytes(path).splitlines() if os.path.exists(path) else ()):
        values = line.get("set") if line else None
        if line and isinstance(values, dict):
            by_session.setdefault(str(line.get("session")), {}).update(values)
    return by_session
