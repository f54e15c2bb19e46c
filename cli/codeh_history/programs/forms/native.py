"""Our own forms: a session's lines, the older arrays and wrappers."""

from __future__ import annotations

import re
from typing import Any

from ...session.model import Json
from ...session.records import Log, lines_of, parse
from ...session.rules import PLACING, RULES
from . import detect, older

_SNAKE = re.compile(
    rb'"(?:function_(?:call|response)|(?:inline|file)_data|thought_signature|executable_code|mime_type|file_uri)"\s*:'
)


def records(log: Log) -> list[Json]:
    """The records of a session's lines, without its header: the new session has its own."""
    return [record.data for record in log.records if record.data["type"] != "session"]


def session(data: bytes) -> Log | None:
    """The lines of a session of this program, ids and all; damaged ones cost themselves.

    None where what is damaged was every message: another program may use the same names for its lines.
    """
    log = parse(lines_of(data))
    types = {record.data["type"] for record in log.records}
    return log if is_ours(log, data) and (not log.damage or types & PLACING) else None


def is_ours(log: Log, data: bytes) -> bool:
    """Whether these lines are a session's: records of ours, or bare messages that are not only Gemini's."""
    first = next((record for record in log.records if record.data["type"] in RULES), None)
    if first is None or first.bare is None or not (log.damage or _SNAKE.search(data)):
        return first is not None
    contents = [
        {"role": record.data.get("role"), "parts": record.data.get("parts")} for record in log.records
    ]
    return any(record.bare is None for record in log.records) or detect.form_of(contents) != "gemini"


def refs(value: Any, size: int) -> Log | None:
    """A JSON array of `{flowId, blockIds, role}`, or `{"type":"llm2","refs":[…]}` around one."""
    items = value.get("refs") if isinstance(value, dict) else value
    if not isinstance(items, list) or not items or not older.is_ref(items[0]):
        return None
    return older.log_of(value, size)


def contents(value: Any, size: int) -> Log | None:
    """A JSON array of `{role, parts}` (or `{role, content}`), of which some are such."""
    if not isinstance(value, list) or any(map(older.is_ref, value[:1])):
        return None
    log = older.log_of(value, size)
    return None if value and len(log.damage) == len(value) else log


def persisted(value: Any, size: int) -> Log | None:
    """`{recentConversations, …}`, also among other settings, or an array of conversations."""
    found = {"recentConversations": value} if isinstance(value, list) else older.history_in(value)
    return older.log_of(found, size) if found is not None else None
