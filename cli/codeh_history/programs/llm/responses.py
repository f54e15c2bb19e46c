"""Conversations in llm's older tables: a row holds a prompt and its response."""

from __future__ import annotations

from collections.abc import Iterator

from ...providers.parts import text_of
from ...session.model import Json, Part
from ..conversation import Conversation
from ..model import Session
from ..protocol import Refused, Source
from ..records import time_of
from . import NAME
from .contents import Contents, object_in, texts


def responses(source: Source, id: str | None) -> Session:
    """A conversation; those rows that are of none are one of their own."""
    session = Session(NAME, id or "without-conversation")
    named = next(source.rows("SELECT * FROM conversations WHERE id = ?", id), {})
    session.titled(named.get("name"))
    talk = Conversation(session)
    contents = Contents(source, session, talk)
    ids: list[object] = []
    try:
        for row in source.rows("SELECT * FROM responses WHERE conversation_id IS ? ORDER BY id", id):
            talk.number += 1
            ids.append(row["id"])
            _response(contents, row)
        tools = contents.tools("tool_responses", "response_id", ids)
    except Refused as error:
        session.problem(0, "skips", f"{error} after {talk.number} responses")
        return session
    if tools:
        session.settings["tools"] = tools
    return session


def _response(contents: Contents, row: Json) -> None:
    talk, session, id = contents.talk, contents.session, row["id"]
    ts = time_of(row.get("datetime_utc"))
    session.created = session.created or ts
    system = [*texts(contents.joined("system_fragments", "response_id", id)), text_of(row.get("system"))]
    if any(system):
        session.settings["system"] = "\n\n".join(filter(None, system))
    talk.add("tool", list(_results(contents, id)), id=f"{id}.results", ts=ts)
    prompt = [*texts(contents.joined("prompt_fragments", "response_id", id)), text_of(row.get("prompt"))]
    asked: list[Part] = [{"text": "\n".join(filter(None, prompt))}]
    for attached in contents.joined("prompt_attachments", "response_id", id, "attachment"):
        asked += contents.attachment(attached["id"])
    talk.add("user", asked, id=f"{id}.prompt", ts=ts)
    reasoning = text_of(row.get("reasoning"))
    said: list[Part] = [{"text": reasoning, "thought": True}] if reasoning else []
    said.append({"text": text_of(row.get("response"))})
    said += (
        talk.call(call.get("tool_call_id"), call.get("name"), object_in(call.get("arguments")))
        for call in _rows(contents, "tool_calls", id)
    )
    talk.add("codeh", said, id=id, ts=ts, **contents.turn(row))


def _results(contents: Contents, id: object) -> Iterator[Part]:
    """The results that a prompt began with: of the calls of the response before it."""
    for row in _rows(contents, "tool_results", id):
        files = contents.joined("tool_results_attachments", "tool_result_id", row["id"], "attachment")
        yield contents.result(row, files)


def _rows(contents: Contents, table: str, id: object) -> list[Json]:
    if table not in contents.source.head.tables:
        return []
    query = f"SELECT * FROM {table} WHERE response_id = ? ORDER BY id"  # noqa: S608 - a name of ours
    return list(contents.source.rows(query, id))
