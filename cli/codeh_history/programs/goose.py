"""Read goose's database of sessions (`~/.local/share/goose/sessions/sessions.db`).

A session is what goose's agent sees, and what compactions hid from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from ..providers import usage
from ..providers.json_text import value_of
from ..providers.parts import native, objects
from ..session.model import Json, Part
from .fields import at, hash_id, name_at, object_at, objects_at, omit_empty, seconds, text_at, time_of
from .model import SUB_SESSION, Entry, Session
from .parts import inline, thought
from .protocol import Head, Place, Program, Source
from .records import session_id
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
    return _sessions(program.name, source, below, None)


def _sessions(
    program: str, source: Source, below: dict[str | None, list[Json]], parent: Session | None
) -> Iterator[Session]:
    """Yield the root sessions, or all sub-agents below `parent`, each before its own sub-agents."""
    for row in below.get(parent.id if parent else None, ()):
        session = Session(program, row["id"], created=time_of(row.get("created_at")))
        session.cwd = name_at(row, "working_dir")
        session.set_title(name_at(row, "name") or row.get("description"))
        if parent is None:
            session.skip(SUB_SESSION, len(below.get(session.id, ())))
            session.branches = partial(_sessions, program, source, below, session)
        fill(session, partial(_fill, session, source, row))
        if parent is not None:
            session.set_parent(session_id(parent), agent=True)
        yield session
        if parent is not None:
            yield from _sessions(program, source, below, session)


def _fill(session: Session, source: Source, row: Json) -> None:
    """Add a session's messages and summaries, and the usage of its responses."""
    model = name_at(value_of(row.get("model_config_json")), "model_name")
    fields = {"provider": _FORMATS.get(str(row.get("provider_name"))), "model": model}
    hidden: set[str] = set()  # ids of items that the agent no longer sees
    where = "WHERE session_id = ? ORDER BY rowid"
    for message in source.rows(f"SELECT * FROM messages {where}", session.id):  # noqa: S608
        session.number += 1
        _message(session, message, fields, hidden)
    # messages hidden without a summary are for the user only
    session.items = [item for item in session.items if item.id not in hidden]
    session.skip("message that the agent does not see", len(hidden))
    if "usage_ledger" in source.head.tables:
        _add_usage(session, source.rows(f"SELECT * FROM usage_ledger {where}", session.id))  # noqa: S608


def _message(session: Session, row: Json, fields: Json, hidden: set[str]) -> None:
    kind = session.kind_of(row.get("role"), _KINDS)
    if kind is None:
        return
    about, blocks = value_of(row.get("metadata_json")), objects(value_of(row.get("content_json")))
    seen = at(about, "agentVisible") is not False
    parts = [part for block in blocks for part in parts_of(block, session)]
    id, ts = name_at(row, "message_id"), seconds(row.get("created_timestamp"))
    texts = [part["text"] for part in parts if "text" in part and not part.get("thought")]
    if seen and hidden and at(about, "userVisible") is False and texts:
        text = "\n\n".join(texts)  # the first message only for the agent is the summary
        id = id or hash_id(session.program, session.id, "summary", text)
        session.summarise(id, ts, text, [item for item in session.live if item not in hidden])
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


def parts_of(block: Json, session: Session) -> Iterator[Any]:
    """Yield the part of a block; count a block that the model does not get as skipped."""
    match block.get("type"):
        case "text" | "image" as kind if not _for_the_agent(block):
            session.skip(f"{kind} for the user alone")
        case "text":
            yield {"text": text_at(block, "text")}
        case "image":
            yield _image(block)
        case "thinking" | "reasoning":
            yield thought(name_at(block, "thinking", "text") or "", block.get("signature"))
        case "redactedThinking":
            yield native("anthropic", {"type": "redacted_thinking", "data": text_at(block, "data")})
        case "toolRequest" | "frontendToolRequest":
            call = object_at(block, "toolCall.value")
            yield session.call(block.get("id"), call.get("name"), call.get("arguments"))
        case "toolResponse":
            error = at(block, "toolResult.status") == "error"
            items = objects_at(block, "toolResult.value") or objects_at(block, "toolResult.value.content")
            images = [item for item in items if item.get("type") == "image" and _for_the_agent(item)]
            others = (item for item in items if item.get("type") != "image" and _for_the_agent(item))
            lines = filter(None, (name_at(item, "text", "resource.text") for item in others))
            text = text_at(block, "toolResult.error") if error else "\n".join(lines)
            failed = error or at(block, "toolResult.value.isError") is True
            parts: list[Part] = [{"text": text}, *map(_image, images)]
            yield session.result(block.get("id"), None, parts, failed=failed)
        case kind:
            session.skip(f"content ({kind})")


def _for_the_agent(block: Json) -> bool:
    audience = at(block, "annotations.audience")
    return not isinstance(audience, list) or "assistant" in audience


def _image(block: Json) -> Part:
    return inline(text_at(block, "data"), block.get("mimeType"), "image/png")


PROGRAM = Program(
    "goose", "goose", recognises, read,
    (Place("GOOSE_PATH_ROOT", "", ("data/sessions/sessions.db",)),
     Place("XDG_DATA_HOME", ".local/share", ("goose/sessions/sessions.db",))),
)  # fmt: skip
