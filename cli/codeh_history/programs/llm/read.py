"""A database of llm → its conversations: threads of messages, and those that only the older tables have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...providers.parts import name_of, text_of
from ...session.model import Json, Part
from ..conversation import Conversation
from ..model import Session
from ..parts import texts
from ..protocol import Refused, Source
from ..records import time_of
from . import NAME, RESPONSES, THREADS
from .contents import Contents, object_in

_KINDS = {"user": "user", "assistant": "codeh", "tool": "tool", "system": "user"}


def read(source: Source) -> Iterable[Session]:
    """Each conversation as `llm -c` would go on with it."""
    seen: set[str] = set()
    if source.head.has(THREADS):
        for row in list(
            source.rows("SELECT * FROM threads WHERE tip_message_hash IS NOT NULL ORDER BY id")
        ):
            if name_of(row["id"]):
                seen.add(row["id"])
                yield _thread(source, row)
    if source.head.has(RESPONSES):
        for row in list(source.rows("SELECT DISTINCT conversation_id AS id FROM responses ORDER BY 1")):
            if row["id"] not in seen:
                yield _responses(source, name_of(row["id"]))


def _thread(source: Source, row: Json) -> Session:
    session = Session(NAME, row["id"], created=time_of(row.get("datetime_utc")))
    session.titled(row.get("name"))
    talk = Conversation(session)
    contents = Contents(source, session, talk)
    try:
        found = source.rows("SELECT * FROM turns WHERE thread_id = ? ORDER BY id", session.id)
        turns = {turn["tip_message_hash"]: turn for turn in found}
        ids = [turn["id"] for turn in turns.values()]
        session.set(tools=contents.tools("turn_tools", "turn_id", ids))
        chain = _chain(source, session, row["tip_message_hash"])
        times = _times(chain, turns)
        for talk.number, message in enumerate(chain, 1):
            _message(contents, message, turns.get(message["hash"]), times[talk.number - 1])
    except Refused as error:
        session.problem(0, "skips", f"{error} after {talk.number} messages")
    return session


def _chain(source: Source, session: Session, tip: object) -> list[Json]:
    """The messages up to the newest one, by their parents."""
    found: dict[object, Json] = {}
    at = tip
    while at is not None and at not in found:
        row = next(source.rows("SELECT * FROM messages WHERE hash = ?", at), None)
        if row is None:
            why = f"message {at} is not there: llm would refuse to go on"
            session.problem(0, "forgets", why, "what comes after it is read")
            break
        found[at] = row
        at = row["parent_hash"]
    return list(reversed(found.values()))


def _times(chain: list[Json], turns: dict[object, Json]) -> list[str | None]:
    """The time of each message: of the turn that it is of."""
    times: list[str | None] = []
    now = None
    for message in reversed(chain):
        turn = turns.get(message["hash"])
        now = time_of(turn.get("datetime_utc")) if turn else now
        times.append(now)
    return list(reversed(times))


def _message(contents: Contents, message: Json, turn: Json | None, ts: str | None) -> None:
    role = text_of(message.get("role"))
    session = contents.session
    kind = _KINDS.get(role)
    if kind is None:
        session.left[f"message of {role or 'nobody'}"] += 1
        return
    parts = contents.of_message(message["hash"])
    if role == "system":
        text = "\n\n".join(texts(parts))
        if contents.talk.number == 1 and text:
            session.settings["system"] = text
        else:
            contents.talk.add("user", parts, id=message["hash"], ts=ts, item={"role": role})
        return
    fields = contents.turn(turn) if kind == "codeh" and turn else {}
    contents.talk.turn(kind, parts, id=message["hash"], ts=ts, **fields)


# -- the older tables: a row holds a prompt and its response -----------------------------------------------


def _responses(source: Source, id: str | None) -> Session:
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
        session.set(tools=contents.tools("tool_responses", "response_id", ids))
    except Refused as error:
        session.problem(0, "skips", f"{error} after {talk.number} responses")
    return session


def _response(contents: Contents, row: Json) -> None:
    talk, session, id = contents.talk, contents.session, row["id"]
    ts = time_of(row.get("datetime_utc"))
    session.created = session.created or ts
    system = [*contents.fragments("system_fragments", id), text_of(row.get("system"))]
    session.set(system="\n\n".join(filter(None, system)))
    talk.add("tool", list(_results(contents, id)), id=f"{id}.results", ts=ts)
    prompt = [*contents.fragments("prompt_fragments", id), text_of(row.get("prompt"))]
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
