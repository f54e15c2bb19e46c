"""Read Cursor's agent: transcripts in `~/.cursor/projects`, and the CLI's databases in `~/.cursor/chats`.

Messages of a database are read in the order in which they were stored, because the format of the values
that link them is not public. A transcript has no results.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..base.read_json import json_object
from ..base.words import plural
from ..providers.parts import blocks_of, objects
from ..session.model import Json, Part
from ..session.records import dumps
from .fields import at, hash_id, name_at, text_at, time_of
from .model import Session
from .parts import media, parts_of
from .protocol import Head, Place, Program, Source
from .source import line_objects

_TABLES = {"blobs": {"id", "data"}, "meta": {"key", "value"}}
_QUERY = re.compile(r"(?s)\s*(?:<timestamp>.*?</timestamp>\s*)?<user_query>\n?(.*?)\n?</user_query>\s*")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})+")
_KINDS = {"user": "user", "assistant": "codeh", "tool": "tool"}


def recognises(head: Head) -> bool:
    if head.tables:
        return head.has(_TABLES)
    return any(
        text_at(data, "role") in _KINDS and data.keys() <= {"role", "message", "timestamp"}
        and isinstance(at(data, "message.content"), (str, list))
        for data in head.objects
    )  # fmt: skip


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a transcript or of a database."""
    session = Session(program.name, source.stem)
    if source.head.tables:
        _database(session, source)
    else:
        for number, data in line_objects(source, session.problems, program.recognises):
            session.number = number
            _message(session, data, at(data, "message.content"))
        if session.open_calls:
            count = plural(len(session.open_calls), "call")
            session.problem(0, "lacks", f"a transcript has no results: those of {count} are not in it")
    yield session


def _database(session: Session, source: Source) -> None:
    """Read the session's fields and messages from a database."""
    session.id = [session.id, *source.path.split("/")[:-1]][-1]  # the folder's name
    for row in source.rows("SELECT value FROM meta WHERE key = '0'"):
        value = row.get("value")
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        about = json_object(bytes.fromhex(text) if _HEX.fullmatch(text) else text)
        session.about(about, id="agentId", cwd="workspacePath", created="createdAt", title="name")
    for session.number, row in enumerate(source.rows("SELECT id, data FROM blobs ORDER BY rowid"), 1):
        data = json_object(row.get("data"))
        if data is None or "role" not in data:
            session.skip("value without a public form", own=True)
        else:
            _message(session, data, data.get("content"), name_at(row, "id"))
    if session.number and not session.items:
        session.problem(0, "skips", f"none of its {session.number} values is a message in a public form")


def _message(session: Session, data: Json, content: Any, id: str | None = None) -> None:
    kind = session.kind_of(data.get("role"), _KINDS)
    blocks = objects(blocks_of(content))
    if kind == "user" and any("<user_info>" in text_at(block, "text") for block in blocks):
        session.skip("context message", own=True)
    elif kind is not None:
        model = name_at(data, "providerOptions.cursor.modelName") if kind == "codeh" else None
        id, ts = id or hash_id(kind, dumps(data)), time_of(data.get("createdAt"))
        parts = parts_of(blocks, lambda block: _part(session, block))
        session.turn(kind, parts, id=id, ts=ts, model=model)


def _part(session: Session, block: Json) -> Part | None:
    match block.get("type"):
        case "text" if query := _QUERY.fullmatch(text_at(block, "text")):
            return {"text": query[1]}
        case "tool-result":
            result, id, name = block.get("result"), block.get("toolCallId"), block.get("toolName")
            if not isinstance(result, str):
                result = "\n".join(text_at(part, "text") for part in objects(result))
            return session.result(id, name, [{"text": result}], failed=block.get("isError") is True)
        case "image" if (url := name_at(block, "image", "data") or "").startswith(("http", "data:")):
            return media(url, name_at(block, "mimeType", "mediaType"), "image")
    return session.part(block)


_FILES = "projects/*/agent-transcripts/*.jsonl projects/*/agent-transcripts/*/*.jsonl chats/*/*/store.db"
PROGRAM = Program("cursor", "Cursor", recognises, read, (Place("", ".cursor", (*_FILES.split(),)),))
