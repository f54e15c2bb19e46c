"""Our own forms: a session's lines, the older arrays and wrappers."""

from __future__ import annotations

import orjson

from ..model import Json
from ..records import KNOWN_TYPES, Log, lines_of, parse
from . import older

_CONTENT = {"message", "ref", "open"}


def _value(data: bytes) -> object:
    try:
        return orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return None


def records(log: Log) -> list[Json]:
    """The records of a session's lines, without its header: the new session has its own."""
    return [record.data for record in log.records if record.data["type"] != "session"]


def session(data: bytes) -> Log | None:
    """The lines of a session of this program, ids and all; damaged ones cost themselves.

    None where what is damaged was every message: another program may use the same names for its lines.
    """
    if _value(data) is not None and data.count(b"\n") > 1:
        return None  # one JSON value over several lines
    log = parse(lines_of(data))
    types = {record.data["type"] for record in log.records}
    if not types & KNOWN_TYPES or (log.damage and not types & _CONTENT):
        return None
    return log


def refs(data: bytes) -> list[Json] | None:
    """A JSON array of `{flowId, blockIds, role}`, or `{"type":"llm2","refs":[…]}` around one."""
    value = _value(data)
    items = value.get("refs") if isinstance(value, dict) else value
    if not isinstance(items, list) or not items or not older.is_ref(items[0]):
        return None
    log = older.log_of(value, len(data))  # type: ignore[arg-type]
    return None if log.damage else records(log)


def contents(data: bytes) -> list[Json] | None:
    """A JSON array of `{role, parts}` (or `{role, content}`), or such objects one a line."""
    value = _value(data)
    if isinstance(value, list):
        log = older.log_of(value, len(data))
        return None if log.damage or any(older.is_ref(item) for item in value) else records(log)
    if value is not None:
        return None
    lines = session(data)
    return records(lines) if lines is not None else None


def persisted(data: bytes) -> list[Json] | None:
    """`{recentConversations, summaries, lastSummarized}`."""
    value = _value(data)
    if not isinstance(value, dict) or "recentConversations" not in value:
        return None
    return records(older.log_of(value, len(data)))
