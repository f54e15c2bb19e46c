"""Read Cline's files: an object with messages, `~/.cline/data/sessions/ID/ID.messages.json`.

Older versions and their forks wrote a list of messages: `tasks/ID/api_conversation_history.json`. The
messages are Anthropic's, except the blocks for files, images and results. Roo Code's lists also contain
the messages that summaries replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..providers.parts import object_of, objects
from ..session.model import Json, Part
from ..session.records import dumps
from . import pairs
from .fields import answer_fields, at, hash_id, list_at, name_at, objects_at, text_at, time_of
from .model import Session
from .parts import parts_of, texts, without_texts
from .protocol import Head, Place, Program, Source
from .source import objects as objects_in
from .source import value_beside

_KINDS = {"user": "user", "assistant": "codeh"}
_FORMATS = {"anthropic": "anthropic", "gemini": "gemini", "openai-native": "openai-responses"}
_MARKS = ("ts", "modelInfo", "metrics")  # fields that distinguish these messages from Anthropic's
_OF_ROO_CODE = ("condenseId", "condenseParent", "truncationId", "truncationParent")
_INPUT = re.compile(r"</?user_input\b[^>]*>")  # tags around a user's text, which are not sent
_PATH = re.compile(r".*/([^/]+)/([^/]+)\.messages\.json", re.DOTALL)
_TASK = re.compile(r".*/([^/]+)/api_conversation_history\.json", re.DOTALL)
_ANSWER = {"model": "modelInfo.id", "usage": "metrics"}
_USAGE = {
    "input": "inputTokens", "output": "outputTokens", "cached": "cacheReadTokens",
    "cacheWrite": "cacheWriteTokens",
}  # fmt: skip
_OUTSIDE = "message of what is no longer in the context"


def recognises(head: Head) -> bool:
    first = head.values[0] if head.values else {}
    session = "sessionId" in first and any(map(_is_message, list_at(first, "messages")[:1]))
    listed = head.whole and _is_message(first)
    return session or (listed and any(key in data for data in head.values for key in _MARKS))


def recognises_roo_code(head: Head) -> bool:
    return any(mark in data for data in head.values for mark in _OF_ROO_CODE) and recognises(head)


def recognises_own(head: Head) -> bool:
    """Whether a file in the program's folder is a session, even if its messages have no marks."""
    return any(map(_is_message, head.values))


def _is_message(data: Any) -> bool:
    return isinstance(data, dict) and text_at(data, "role") in _KINDS and "content" in data


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    session = Session(program.name, source.stem)
    messages: list[Json] = []
    for _, value in objects_in(source, session.problems):
        if isinstance(value.get("messages"), list):
            messages += objects(value["messages"])
            session.about(value, id="sessionId", version="origin.version")
            session.agent = text_at(value, "agent") in ("subagent", "teammate")
        else:
            messages.append(value)
    session.problems[:] = (
        problem._replace(effect="forgets", reason=f"{problem.reason}; {program.title} forgets the session")
        for problem in session.problems
    )
    compaction: Json = {}
    if path := _PATH.fullmatch(source.path):
        folder, stem = path.groups()
        if session.agent:
            session.id = f"{folder}-{stem}"
            session.set_parent(folder, agent=True)
        fields = value_beside(source, folder, f"{stem}.json", above=1)
        session.about(fields, cwd="cwd", created="started_at", title="metadata.title")
        compaction = object_of(value_beside(source, folder, f"{stem}.compaction.json", above=1))
    else:
        messages = _task(session, source, messages)
    _add(session, messages, compaction)
    yield session


def _task(session: Session, source: Source, messages: list[Json]) -> list[Json]:
    """Read the session's fields from the list of tasks; return the messages in its context."""
    path = _TASK.fullmatch(source.path)
    if session.id == source.stem:
        session.id = path[1] if path else hash_id(*map(dumps, messages[:1]))
    tasks = objects(value_beside(source, "state", "taskHistory.json", above=2))
    task = next((task for task in tasks if task.get("id") == session.id), {})
    session.about(task, cwd="cwdOnTaskInitialization workspace", title="task")
    session.about(messages[:1] and messages[0], created="ts")
    _, last = [*list_at(task, "conversationHistoryDeletedRange"), None, None][:2]
    if not isinstance(last, int) or not 2 <= last < len(messages) - 1:
        return messages
    session.skip(_OUTSIDE, last - 1)
    return [*messages[:2], *messages[last + 1 :]]


def _add(session: Session, messages: list[Json], compaction: Json) -> None:
    """Add messages, and summaries of those that compactions replaced."""
    ids: dict[str | None, list[str]] = {}  # a message's id → the ids of its items
    hidden = {name_at(m, "truncationId") for m in messages if m.get("isTruncationMarker")} - {None}
    parents: dict[str | None, list[str]] = {}  # a summary's id → the items that it replaces
    for session.number, message in enumerate(messages, 1):
        before, condensed = len(session.items), name_at(message, "condenseId")
        ts = time_of(message.get("ts"))
        if name_at(message, "truncationParent") in hidden:
            session.skip(_OUTSIDE)
        elif at(message, "metadata.displayOnly") is True:
            session.skip("message that is only shown", own=True)
        elif message.get("isSummary") is True and condensed and condensed in parents:
            parts = _parts(session, message)
            text, only = "\n".join(texts(parts)), parents[condensed]
            session.summarise(f"summary-{condensed}", ts, text, only=only)
            session.add("codeh", without_texts(parts), ts=ts)  # calls whose results follow
        elif kind := session.kind_of(message.get("role"), _KINDS):
            format = _FORMATS.get(text_at(message, "modelInfo.provider"))
            fields = answer_fields(message, _ANSWER, _USAGE, format) if kind == "codeh" else {}
            id = name_at(message, "id")
            session.turn(kind, _parts(session, message), id=id, ts=ts, **fields)
            ids[id] = [item.id for item in session.items[before:]]
            parents.setdefault(name_at(message, "condenseParent"), []).extend(ids[id])
        if session.number == compaction.get("source_message_count"):
            _compact(session, compaction, ids)


def _compact(session: Session, compaction: Json, ids: dict[str | None, list[str]]) -> None:
    """Summarise the messages that a compaction removed; the summary is the text that it added."""
    messages, ts = objects_at(compaction, "messages"), time_of(compaction.get("updated_at"))
    kept = {name_at(message, "id") for message in messages} & ids.keys() - {None}
    added = [message for message in messages if name_at(message, "id") not in kept]
    text = "\n\n".join(text for message in added for text in texts(_parts(session, message)))
    if text:
        keep = [id for name in kept for id in ids[name]]
        session.summarise(f"compaction-{session.number}", ts, text, keep)


def _parts(session: Session, message: Json) -> list[Part]:
    return parts_of(message.get("content"), lambda block: _part(session, block))


def _part(session: Session, block: Json) -> Part | None:
    match block.get("type"):
        case "text" if "<user_input" in (text := text_at(block, "text")):
            return {"text": _INPUT.sub("", text).strip()}
        case "file":
            path, text = text_at(block, "path"), text_at(block, "content")
            return {"text": f'<file_content path="{path}">\n{text}\n</file_content>'}
        case "tool_result":
            content, failed = block.get("content"), block.get("is_error") is True
            if any(item.get("type") not in ("text", "image") for item in objects(content)):
                content = dumps(content).decode()  # as the program sends it
            parts = parts_of(content, session.part)
            return session.result(block.get("tool_use_id"), None, parts, failed=failed)
    return session.part(block)


_TASKS = ("tasks/*/api_conversation_history.json",)
_VS_CODE = (".config/Code/User/globalStorage", "Library/Application Support/Code/User/globalStorage")
PROGRAM = Program(
    "cline", "Cline", recognises, read,
    (
        Place("CLINE_DATA_DIR", ".cline/data", ("sessions/*/*.messages.json", *_TASKS)),
        *(Place("", f"{folder}/saoudrizwan.claude-dev", _TASKS) for folder in _VS_CODE),
    ),
    recognises_own, command="cline",
    pairs={pairs.ORPHAN: pairs.REFUSED, pairs.DOUBLE: pairs.BOTH_REFUSED},
)  # fmt: skip
ROO_CODE = PROGRAM._replace(
    name="roo-code", title="Roo Code", recognises=recognises_roo_code, command="",
    places=[Place("", f"{folder}/rooveterinaryinc.roo-cline", _TASKS) for folder in _VS_CODE],
)  # fmt: skip
