"""Read goose's database of sessions (`~/.local/share/goose/sessions/sessions.db`).

A session is what goose's agent sees, and what compactions hid from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from ..providers import usage
from ..providers.json_text import value_of
from ..providers.parts import native
from ..session.model import Json, Part
from .fields import at, hash_id, name_at, object_at, objects_at, omit_empty, seconds, text_at
from .model import SUB_SESSION, Entry, Session
from .parts import parts_of
from .protocol import Head, Place, Program, Source
from .source import fill

_TABLES = {"sessions": {"id", "working_dir"}, "messages": {"session_id", "role", "content_json"}}
_FORMATS = {
    "anthropic": "anthropic", "openai": "openai-chat", "google": "gemini", "gemini": "gemini",
    "ollama": "ollama",
}  # fmt: skip
_KINDS = {"user": "user", "assistant": "codeh"}
_USAGE = {
    "input": "input_tokens", "output": "output_tokens", "cached": "cache_read_tokens",
    "cacheWrite": "cache_write_tokens", "total": "total_tokens",
}  # fmt: skip
_OF_A_SESSION = "WHERE session_id = ? ORDER BY rowid"


def recognises(head: Head) -> bool:
    return head.has(_TABLES)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield each session; sub-agents are branches of their parent session."""
    rows = [row for row in source.rows("SELECT * FROM sessions ORDER BY rowid") if name_at(row, "id")]
    ids = {row["id"] for row in rows}
    below: dict[str | None, list[Json]] = {}
    for row in rows:
        above = row.get("parent_session_id") if row.get("session_type") == "sub_agent" else None
        below.setdefault(above if above in ids - {row["id"]} else None, []).append(row)
    for row in below.get(None, ()):
        session = _session(program.name, source, row)
        session.skip(SUB_SESSION, len(below.get(session.id, ())))
        session.branches = partial(_agents, source, below, session)
        yield session


def _agents(source: Source, below: dict[str | None, list[Json]], parent: Session) -> Iterator[Session]:
    """Yield all sub-agents below `parent`, each before its own sub-agents."""
    for row in below.get(parent.id, ()):
        session = _session(parent.program, source, row)
        session.set_parent(parent.id, agent=True)
        yield session
        yield from _agents(source, below, session)


def _session(program: str, source: Source, row: Json) -> Session:
    session = Session(program, row["id"])
    session.about(row, created="created_at", cwd="working_dir", title="name description")
    return fill(session, partial(_fill, session, source, row))


def _fill(session: Session, source: Source, row: Json) -> None:
    """Add a session's messages and summaries, and the usage of its responses."""
    model = name_at(value_of(row.get("model_config_json")), "model_name")
    fields = {"provider": _FORMATS.get(str(row.get("provider_name"))), "model": model}
    hidden: set[str] = set()  # ids of items that the agent no longer sees
    for message in source.rows(f"SELECT * FROM messages {_OF_A_SESSION}", session.id):  # noqa: S608
        session.number += 1
        _message(session, message, fields, hidden)
    # messages hidden without a summary are for the user only
    session.items = [item for item in session.items if item.id not in hidden]
    session.skip("message that the agent does not see", len(hidden))
    if "usage_ledger" in source.head.tables:
        _add_usage(session, source.rows(f"SELECT * FROM usage_ledger {_OF_A_SESSION}", session.id))  # noqa: S608


def _message(session: Session, row: Json, fields: Json, hidden: set[str]) -> None:
    kind = session.kind_of(row.get("role"), _KINDS)
    if kind is None:
        return
    about, content = value_of(row.get("metadata_json")), value_of(row.get("content_json"))
    seen = at(about, "agentVisible") is not False
    parts = parts_of(content, partial(part_of, session))
    id, ts = name_at(row, "message_id"), seconds(row.get("created_timestamp"))
    texts = [part["text"] for part in parts if "text" in part and not part.get("thought")]
    if seen and hidden and at(about, "userVisible") is False and texts:
        text = "\n\n".join(texts)  # the first message only for the agent is the summary
        id = id or hash_id(session.program, session.id, "summary", text)
        session.summarise(id, ts, text, only=hidden)
        hidden.clear()
        return
    before = len(session.items)
    session.turn(kind, parts, id=id, ts=ts, **(fields if kind == "codeh" else {}))
    hidden.update(() if seen else (item.id for item in session.items[before:]))


def _add_usage(session: Session, rows: Iterable[Json]) -> None:
    """Add the usage of each response to the last answer before the entry in the ledger, if it has none."""
    answers = [item for item in session.items if isinstance(item, Entry) and item.kind == "codeh"]
    for row in rows:
        ts = seconds(row.get("created_timestamp"))
        before = (answer for answer in reversed(answers) if ts and answer.ts and answer.ts <= ts)
        entry = next(before, None)
        raw = {key: row[key] for key in row if isinstance(row[key], (int, float)) and key != "id"}
        fields = omit_empty(usage=usage.read(raw, _USAGE), model=name_at(row, "model"))
        if row.get("is_compaction") or entry is None or "usage" in entry.fields:
            session.keep_usage(f"usage-{row.get('id')}", ts, fields)
        else:
            entry.fields |= fields


def part_of(session: Session, block: Json) -> Part | None:
    """The part of a block; a block that the model does not get is counted as skipped."""
    match block.get("type"):
        case "text" | "image" as kind if not _for_the_agent(block):
            session.skip(f"{kind} for the user alone")
            return None
        case "redactedThinking":
            return native("anthropic", {"type": "redacted_thinking", "data": text_at(block, "data")})
        case "toolRequest" | "frontendToolRequest":
            call = object_at(block, "toolCall.value")
            return session.call(block.get("id"), call.get("name"), call.get("arguments"))
        case "toolResponse":
            return _result(session, block)
    return session.part(block)


def _result(session: Session, block: Json) -> Part:
    items = objects_at(block, "toolResult.value") or objects_at(block, "toolResult.value.content")
    parts: list[Any] = []
    for item in filter(_for_the_agent, items):
        text = name_at(item, "text", "resource.text")
        parts.append(session.part(item) if item.get("type") == "image" else text and {"text": text})
    error = at(block, "toolResult.status") == "error"
    if error:
        parts.append({"text": text_at(block, "toolResult.error")})
    failed = error or at(block, "toolResult.value.isError") is True
    return session.result(block.get("id"), None, [*filter(None, parts)], failed=failed)


def _for_the_agent(block: Json) -> bool:
    audience = at(block, "annotations.audience")
    return not isinstance(audience, list) or "assistant" in audience


PROGRAM = Program(
    "goose", "goose", recognises, read,
    (Place("GOOSE_PATH_ROOT", "", ("data/sessions/sessions.db",)),
     Place("XDG_DATA_HOME", ".local/share", ("goose/sessions/sessions.db",))),
)  # fmt: skip
