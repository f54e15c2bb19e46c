"""goose: a database of sessions (`~/.local/share/goose/sessions/sessions.db`).

Read is what its agent sees, and what a compaction hid from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from ..providers import usage
from ..providers.json_text import value_of
from ..providers.parts import listed, name_of, native, object_of, objects, text_of
from ..session.model import Json, Part
from .builder import Builder, seconds, thought
from .model import SUB_SESSION, Entry, Session, omit_empty
from .protocol import Head, Place, Program, Refused, Source
from .records import made_id, session_id, time_of

_TABLES = {"sessions": {"id", "working_dir"}, "messages": {"session_id", "role", "content_json"}}
_FORMATS = {
    "anthropic": "anthropic", "openai": "openai-chat", "google": "gemini", "gemini": "gemini",
    "ollama": "ollama",
}  # fmt: skip
_KINDS = {"user": "user", "assistant": "codeh"}
_MILLIS = 10_000_000_000  # a larger time is in milliseconds
_USAGE = {
    "input": "input_tokens", "output": "output_tokens", "cached": "cache_read_tokens",
    "cacheWrite": "cache_write_tokens", "total": "total_tokens",
}  # fmt: skip


def recognises(head: Head) -> bool:
    return head.has(_TABLES)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Each session; sub-agents are branches of the one that they work for."""
    rows = [row for row in source.rows("SELECT * FROM sessions ORDER BY rowid") if name_of(row.get("id"))]
    ids = {row["id"] for row in rows}
    below: dict[str | None, list[Json]] = {}
    for row in rows:
        above = row.get("parent_session_id") if row.get("session_type") == "sub_agent" else None
        below.setdefault(above if above in ids - {row["id"]} else None, []).append(row)
    return _sessions(program.name, source, below, None)


def _sessions(
    program: str, source: Source, below: dict[str | None, list[Json]], parent: Session | None
) -> Iterator[Session]:
    """The sessions that work for a `parent`, each with those that work for it; None: for none."""
    for row in below.get(parent.id if parent else None, ()):
        session = Session(program, row["id"], created=time_of(row.get("created_at")))
        session.cwd = name_of(row.get("working_dir"))
        session.titled(name_of(row.get("name")) or row.get("description"))
        if parent is None:
            session.leave(SUB_SESSION, len(below.get(session.id, ())))
        messages = _Messages(session, row)
        try:
            where = "WHERE session_id = ? ORDER BY rowid"
            for message in source.rows(f"SELECT * FROM messages {where}", session.id):  # noqa: S608
                messages.message(message)
            messages.end()
            if "usage_ledger" in source.head.tables:
                messages.used(source.rows(f"SELECT * FROM usage_ledger {where}", session.id))  # noqa: S608
        except Refused as error:
            session.problem(0, "skips", f"{error} after {messages.talk.number} messages")
        if parent is not None:
            session.set_parent(session_id(parent), agent=True)
            yield session
            yield from _sessions(program, source, below, session)
            continue
        session.branches = partial(_sessions, program, source, below, session)
        yield session


class _Messages:
    """Makes entries and summaries of a session's messages."""

    def __init__(self, session: Session, row: Json) -> None:
        self.session = session
        self.talk = Builder(session)
        self.format = _FORMATS.get(str(row.get("provider_name")))
        self.model = name_of(object_of(value_of(row.get("model_config_json"))).get("model_name"))
        self.hidden: set[str] = set()  # ids of items that the agent does not see any more

    def message(self, row: Json) -> None:
        self.talk.number += 1
        kind = _KINDS.get(str(row.get("role")))
        if kind is None:
            self.session.left[f"message of {row.get('role')}"] += 1
            return
        about = object_of(value_of(row.get("metadata_json")))
        seen = about.get("agentVisible") is not False
        blocks = objects(value_of(row.get("content_json")))
        parts = [part for block in blocks if (part := part_of(block, self.talk)) is not None]
        id, ts = name_of(row.get("message_id")), _time(row.get("created_timestamp"))
        texts = [part["text"] for part in parts if "text" in part and not part.get("thought")]
        if seen and self.hidden and about.get("userVisible") is False and texts:
            text = "\n\n".join(texts)  # the first that only the agent sees stands for those hidden
            id = id or made_id(self.session.program, self.session.id, "summary", text)
            keep = [item for item in self.talk.live if item not in self.hidden]
            self.talk.summarise(id, ts, text, keep)
            self.hidden.clear()
            return
        before = len(self.session.items)
        fields = {"provider": self.format, "model": self.model} if kind == "codeh" else {}
        self.talk.turn(kind, parts, id=id, ts=ts, **fields)
        self.hidden.update(() if seen else (item.id for item in self.session.items[before:]))

    def end(self) -> None:
        """What is hidden with nothing in its place is for the user's eyes alone."""
        if self.hidden:
            self.session.items = [item for item in self.session.items if item.id not in self.hidden]
            self.session.left["message that the agent does not see"] += len(self.hidden)

    def used(self, rows: Iterable[Json]) -> None:
        """The usage of each response: of the last message before it was written down."""
        answers = [item for item in self.session.items if isinstance(item, Entry) and item.kind == "codeh"]
        for row in rows:
            at = _time(row.get("created_timestamp"))
            entry = next(
                (answer for answer in reversed(answers) if at and answer.ts and answer.ts <= at), None
            )
            if row.get("is_compaction"):
                self.session.left["usage of a compaction"] += 1
            elif entry is None or "usage" in entry.fields:
                self.session.left["further usage"] += 1
            else:
                raw = {key: row[key] for key in row if isinstance(row[key], (int, float)) and key != "id"}
                counts = usage.read(raw, _USAGE)
                entry.fields |= omit_empty(usage=counts, model=name_of(row.get("model")))


def part_of(block: Json, talk: Builder) -> Any:
    """The part of a block; None for one that the model is not sent, which is counted."""
    match block.get("type"):
        case "text" | "image" as kind if not _for_the_agent(block):
            talk.session.left[f"{kind} for the user alone"] += 1
            return None
        case "text":
            return {"text": text_of(block.get("text"))}
        case "image":
            return _image(block)
        case "thinking" | "reasoning":
            text = text_of(block.get("thinking")) or text_of(block.get("text"))
            return thought(text, block.get("signature"))
        case "redactedThinking":
            return native("anthropic", {"type": "redacted_thinking", "data": text_of(block.get("data"))})
        case "toolRequest" | "frontendToolRequest":
            call = object_of(object_of(block.get("toolCall")).get("value"))
            return talk.call(block.get("id"), call.get("name"), call.get("arguments"))
        case "toolResponse":
            return _result(block, talk)
        case kind:
            talk.session.left[f"content ({kind})"] += 1
            return None


def _result(block: Json, talk: Builder) -> Part:
    result = object_of(block.get("toolResult"))
    value, error = result.get("value"), result.get("status") == "error"
    items = objects(listed(value) or listed(object_of(value).get("content")))
    seen = [item for item in items if _for_the_agent(item)]
    others = [item for item in seen if item.get("type") != "image"]
    texts = [
        text_of(item.get("text")) or text_of(object_of(item.get("resource")).get("text")) for item in others
    ]
    text = text_of(result.get("error")) if error else "\n".join(filter(None, texts))
    held = [_image(item) for item in seen if item.get("type") == "image"]
    failed = error or object_of(value).get("isError") is True
    return talk.result(block.get("id"), None, text, failed=failed, held=held)


def _for_the_agent(block: Json) -> bool:
    audience = object_of(block.get("annotations")).get("audience")
    return not isinstance(audience, list) or "assistant" in audience


def _image(block: Json) -> Part:
    mime = name_of(block.get("mimeType")) or "image/png"
    return {"inlineData": {"mimeType": mime, "data": text_of(block.get("data"))}}


def _time(value: object) -> str | None:
    large = isinstance(value, (int, float)) and value > _MILLIS
    return time_of(value) if large else seconds(value)


PROGRAM = Program(
    "goose", "goose", __name__, recognises,
    (Place("GOOSE_PATH_ROOT", "", ("data/sessions/sessions.db",)),
     Place("XDG_DATA_HOME", ".local/share", ("goose/sessions/sessions.db",))),
)  # fmt: skip
