"""`append --exchange`: a history entry as a prompt and its answer, stored together."""

from __future__ import annotations

import orjson

from ..env import Env
from ..errors import BadData, Usage
from ..importers.older import exchange
from ..model import Json
from ..records import dumps
from ..store import log
from ..store.log import Locked
from ..store.resolve import for_writing
from ..times import to_millis
from . import batch
from .append import announce, read_file

SOURCES = ("websocket", "direct")


def run(env: Env, session: str | None, file: str) -> int:
    """Append a HistoryEntry (`-`: from stdin) and print its id; id and time are made where it has none."""
    data = env.read_stdin() if file == "-" else read_file(file)
    entry = checked(data, "stdin" if file == "-" else file)
    target = for_writing(env, session)
    stored: list[str] = []

    def build(locked: Locked) -> bytes:
        id = entry.get("id") or env.new_id(locked.session, locked.offset)
        whole = {**entry, "id": id, "timestamp": entry.get("timestamp") or env.now()}
        lines = [
            batch.Line(record, dumps(record), number) for number, record in enumerate(exchange(whole), 1)
        ]
        return batch.stored(env, locked, lines, batch.known(locked, lines), stored, "--exchange")

    created = log.append(env, target.path, build, create=True)
    announce(env, target.id, stored[:1], created=created)
    return 0


def checked(data: bytes, name: str) -> Json:
    """The entry that these bytes are; BadData naming what is wrong, exit 2 for an unknown source."""
    try:
        entry = orjson.loads(data)
    except ValueError as error:
        raise BadData(f"{name}: not JSON: {error}") from None
    if not isinstance(entry, dict):
        raise BadData(f"{name}: a history entry (an object) expected")
    for field in ("userMessage", "assistantResponse"):
        if not isinstance(entry.get(field), str):
            raise BadData(f"{name}: `{field}` must be text; nothing was stored")
    if not entry["userMessage"].strip():
        raise BadData(f"{name}: `userMessage` is empty; nothing was stored")
    tools = entry.get("toolsUsed")
    if tools is not None and not (isinstance(tools, list) and all(isinstance(tool, str) for tool in tools)):
        raise BadData(f"{name}: `toolsUsed` must be a list of names; nothing was stored")
    id, time, source = entry.get("id"), entry.get("timestamp"), entry.get("source")
    if id is not None and not (isinstance(id, str) and id):
        raise BadData(f"{name}: `id` must be text; nothing was stored")
    if time is not None and not (isinstance(time, str) and to_millis(time) is not None):
        raise BadData(f"{name}: `timestamp` {time!r} is no time (2026-01-31T12:00:00Z); nothing was stored")
    if source is not None and source not in SOURCES:
        raise Usage(f"{name}: source {source!r}: {' or '.join(SOURCES)}")
    return entry
