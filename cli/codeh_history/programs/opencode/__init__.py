"""Read opencode's sessions, from its database (`~/.local/share/opencode/opencode.db`) or an export.

Older versions stored a tree of JSON files (`~/.local/share/opencode/storage`). Kilo, a fork, has another
database and another range of versions: from 7.0, where opencode began at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import Any

from ...base.words import plural
from ...providers.json_text import value_of
from ...providers.parts import call, native
from ...session.model import Json, Part
from .. import pairs
from ..fields import (
    answer_fields,
    at,
    hash_id,
    name_at,
    object_at,
    objects_at,
    omit_empty,
    text_at,
    time_of,
)
from ..model import Entry, Piece, Session
from ..parts import media, result
from ..protocol import Head, Place, Program, Source, Unreadable
from ..source import sessions
from ..tree import usage_of

_TABLES = {
    "session": {"id", "parent_id", "directory", "title"}, "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "data"},
}  # fmt: skip
CLEARED = "[Old tool result content cleared]"  # replaces a pruned output
_SUBTASK = "The following tool was executed by the user"
_UNSENT = ("text/plain", "application/x-directory")  # files whose text is in another part
_TYPES = (
    "text", "file", "tool", "reasoning", "step-start", "subtask", "step-finish", "snapshot", "patch",
    "agent", "retry", "compaction",
)  # fmt: skip
_FORMATS = {  # provider of a model → our format
    "anthropic": "anthropic", "openai": "openai-responses", "google": "gemini", "google-vertex": "gemini",
    "google-vertex-anthropic": "anthropic",
}  # fmt: skip
_OTHERS = "openai-chat"
_SIGNATURES = {"anthropic": "metadata.anthropic.signature", "gemini": "metadata.google.thoughtSignature"}
_ANSWER = {"model": "modelID", "finish": "finish", "usage": "tokens"}
_USAGE = {
    "input": "input cache.read cache.write", "output": "output reasoning", "cached": "cache.read",
    "cacheWrite": "cache.write", "reasoning": "reasoning", "total": "total",
}  # fmt: skip
_KNOWN = "SELECT id FROM session"
_BELOW = "FROM session WHERE parent_id = ?"
_STORAGE, _DATA = 2, 3  # levels of these folders above the folder of a session's file


def recognises(head: Head) -> bool:
    if head.tables:
        return head.has(_TABLES)
    exported = (value for value in head.values if isinstance(value.get("info"), dict))
    return any(map(_is_of_tree, head.values)) or any("messages" in value for value in exported)


def recognises_kilo(head: Head) -> bool:
    majors = (text_at(value, "info.version").partition(".")[0] for value in head.values)
    later = any(major.isdecimal() and int(major) >= 7 for major in majors)
    return recognises(head) and (later or head.has({"kilo_board": {"id"}}))  # opencode lacks this table


def _is_of_tree(value: Json) -> bool:
    """Whether this is a session's object in the older tree."""
    named = str(value.get("id")).startswith("ses_") and {"title", "version"} <= value.keys()
    return named and isinstance(value.get("time"), dict)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the sessions of a database, or the session of an export or of a file in the older tree."""

    def session_of(value: Json, _: int) -> Session:
        return _in_tree(source, program, value) if _is_of_tree(value) else _exported(program, value)

    return _in_database(source, program) if source.head.tables else sessions(source, session_of)


def _exported(program: Program, value: Json) -> Session:
    session = _session(program, object_at(value, "info"))
    unique: dict[str, Message] = {}
    for number, exported in enumerate(objects_at(value, "messages"), 1):
        message = Message(number, object_at(exported, "info"), objects_at(exported, "parts"))
        if message.id in unique:
            session.problem(0, "skips", f"message {number} repeats the id {message.id}")
        unique.setdefault(message.id, message)
    return _fill(session, unique.values(), at(value, "info.revert"))


def _in_tree(source: Source, program: Program, info: Json) -> Session:
    """Read a session's file in the older tree (`storage/session/PROJECT/ID.json`).

    Its messages (`storage/message/ID/…`) and their parts (`storage/part/MESSAGE/…`) are in other folders.
    """
    session = _session(program, info)

    def values(*folder: str) -> Iterator[Json]:
        """Yield the object in each file of a folder, sorted by name; its id is the file's name."""
        for name in source.names(*folder, above=_STORAGE):
            try:
                data = source.beside(*folder, name, above=_STORAGE)
            except Unreadable as error:
                session.problem(0, "skips", str(error))
            else:
                yield from _values(session, [{"id": name.removesuffix(".json"), "data": data}])

    messages = _messages(values("message", str(info["id"])), lambda id: values("part", id))
    if not messages:
        session.problem(0, "skips", f"no messages in storage/message/{info['id']}")
    # a program with a database no longer writes to the tree
    session.partial = any(name.endswith(".db") for name in source.names(above=_DATA))
    return _fill(session, messages, info.get("revert"))


def _in_database(source: Source, program: Program, *above: str) -> Iterator[Session]:
    """Yield the root sessions, or the sub-agents of the last of `above`, without those in `above`."""
    if above:
        rows = list(source.rows(f"SELECT * {_BELOW} ORDER BY id", above[-1]))
    else:
        rows = list(source.rows("SELECT * FROM session WHERE parent_id IS NULL ORDER BY id"))
        if source.damage is not None:  # add sessions whose parent's or own row is lost
            rows += source.rows(f"SELECT * FROM session WHERE parent_id NOT IN ({_KNOWN}) ORDER BY id")  # noqa: S608
            lost = "SELECT DISTINCT session_id AS id, NULL AS parent_id FROM message WHERE session_id"
            rows += source.rows(f"{lost} NOT IN ({_KNOWN}) ORDER BY id")
    return (_in_row(source, program, row, above) for row in rows if row["id"] not in above)


def _in_row(source: Source, program: Program, row: Json, above: Sequence[str]) -> Session:
    session = _session(program, row)
    session.about(row, created="time_created")

    def values(query: str, id: str) -> Iterator[Json]:
        return _values(session, source.rows(f"SELECT id, data FROM {query}, id", id))  # noqa: S608

    def count(where: str) -> int:
        number: int = next(source.rows(f"SELECT count(*) AS n {where}", row["id"]))["n"]
        return number

    infos = values("message WHERE session_id = ? ORDER BY time_created", row["id"])
    messages = _messages(infos, partial(values, "part WHERE message_id = ? ORDER BY message_id"))
    session.agent_name = name_at(messages[0].info, "agent") if above and messages else None
    lost = "FROM part WHERE session_id = ? AND message_id NOT IN (SELECT id FROM message)"
    if source.damage is not None and (parts := count(lost)):
        session.problem(0, "skips", f"{plural(parts, 'part')} of lost messages")
    _fill(session, messages, value_of(row.get("revert")))
    session.partial = source.damage is not None
    session.branches = partial(_in_database, source, program, *above, row["id"])
    session.agent_usage = lambda: usage_of(session.branches())
    session.skip("session of a sub-agent", count(_BELOW))
    return session


def _values(session: Session, rows: Iterable[Json]) -> Iterator[Json]:
    """Yield the object in each row's column `data`, with the row's id."""
    for row in rows:
        value = value_of(row["data"])
        if isinstance(value, dict):
            yield {**value, "id": row["id"]}
        else:
            session.problem(0, "skips", f"{row['id']}: not a JSON object")


# -- a session ---------------------------------------------------------------------------------------------


class Message:
    """A message with its parts in order; `number` is its position.

    `compaction`: the part that marks a user message as a compaction; None if there is none. `failed`: the
    answer has an error and is not sent, unlike one that was aborted after it had some content.
    """

    def __init__(self, number: int, info: Json, parts: Sequence[Json]) -> None:
        self.number = number
        self.info = info
        self.parts = parts
        self.id = name_at(info, "id") or hash_id("message", number)
        self.is_users = info.get("role") == "user"
        self.created = _number(at(info, "time.created"))
        self.ts = time_of(at(info, "time.created"))
        compactions = (part for part in parts if self.is_users and part.get("type") == "compaction")
        self.compaction = next(compactions, None)
        has_content = any(part.get("type") not in ("step-start", "reasoning") for part in parts)
        aborted = at(info, "error.name") == "MessageAbortedError" and has_content
        self.failed = bool(info.get("error")) and not self.is_users and not aborted


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0


def _messages(infos: Iterable[Json], parts_of: Callable[[str], Iterable[Json]]) -> list[Message]:
    return [Message(number, info, [*parts_of(info["id"])]) for number, info in enumerate(infos, 1)]


def _session(program: Program, info: Json) -> Session:
    """Make a session without its messages."""
    session = Session(program.name, "session")
    session.about(info, id="id", version="version", created="time.created", cwd="directory", title="title")
    if parent := name_at(info, "parentID", "parent_id"):
        session.set_parent(parent, agent=True)
    return session


def _fill(session: Session, messages: Iterable[Message], revert: Any) -> Session:
    """Add the messages that were not reverted, and the summaries; return the session."""
    every = kept = sorted(messages, key=lambda message: (message.created, message.id))
    ids = [message.id for message in every]
    if at(revert, "messageID") in ids:  # drop later messages, and this one or its parts from `partID` on
        place, first = ids.index(revert["messageID"]), name_at(revert, "partID")
        cut = every[place]
        before = [*takewhile(lambda part: part.get("id") != first, cut.parts)]
        kept = [*every[:place], *([Message(cut.number, cut.info, before)] if first else [])]
    session.skip("message that was reverted", len(every) - len(kept))
    answers = {
        name_at(message.info, "parentID"): message for message in kept
        if not message.is_users and message.info.get("summary") and message.info.get("finish")
        and not message.info.get("error")
    }  # fmt: skip
    places = {message.id: place for place, message in enumerate(kept)}
    place_of: dict[str, int] = {}  # item id → index of its message
    summaries: set[str] = set()
    for place, message in enumerate(kept):
        types = (part.get("type") for part in message.parts)
        session.skipped.update(f"{kind} part" for kind in types if kind not in _TYPES)
        answer = answers.get(message.id) if message.compaction else None
        if answer is not None:
            summaries.add(answer.id)
            tail = places.get(str(at(message.compaction, "tail_start_id")), place)  # the first kept
            keep = [id for id in session.live if place_of.get(id, -1) >= tail]
            session.number = answer.number
            texts = (text_at(part, "text") for part in answer.parts if part.get("type") == "text")
            session.summarise(answer.id, answer.ts, "\n\n".join(filter(None, texts)), keep)
        elif message.failed or message.id in summaries:
            session.skip("answer that failed", message.failed)
            session.keep_usage(message.id, message.ts, _fields(message.info))
        else:
            for entry in _entries(message, last=place == len(kept) - 1):
                session.append(entry)
                place_of[entry.id] = place
    return session


def _entries(message: Message, *, last: bool) -> Iterator[Entry]:
    """Yield a prompt, or each step of an answer and its results; the `last` answer may be unfinished."""

    def entry(id: str, kind: str, parts: Iterable[Any], **fields: Any) -> Iterator[Entry]:
        pieces = [Piece(message.number, [part]) for part in parts if part is not None]
        if pieces:
            yield Entry(id, kind, message.ts, pieces, fields)

    info = message.info
    if message.is_users:
        yield from entry(message.id, "user", map(_user_part, message.parts))
        return
    writing = last and not at(info, "time.completed") and not info.get("error")
    provider = _FORMATS.get(text_at(info, "providerID"), _OTHERS)
    steps: list[list[Json]] = [[]]
    for part in message.parts:
        if part.get("type") != "step-start":
            steps[-1].append(part)
        elif steps[-1]:
            steps.append([])
    steps = steps if steps[-1] else steps[:-1]
    for number, step in enumerate(steps):
        id = f"{message.id}.{number}" if number else message.id
        finished = [part for part in step if not (writing and _is_open(part))]
        parts = (_answer_part(part, provider) for part in finished)
        ends = (part.get("tokens") for part in step if part.get("type") == "step-finish")
        tokens = next(ends, None) or (info.get("tokens") if number == len(steps) - 1 else None)
        yield from entry(id, "codeh", parts, **_fields({**info, "tokens": tokens}))
        tools = [part for part in finished if part.get("type") == "tool"]
        # in order of arrival, so that a later import can append results
        tools.sort(key=lambda tool: _number(at(tool, "state.time.end")))
        yield from entry(f"{id}.results", "tool", map(_result, tools))


def _fields(info: Json) -> Json:
    """An answer's fields."""
    return answer_fields(info, _ANSWER, _USAGE, _FORMATS.get(text_at(info, "providerID"), _OTHERS))


def _user_part(part: Json) -> Any:
    """Convert a part of a prompt; None if the program does not send it."""
    match part.get("type"):
        case "text" if text_at(part, "text") and part.get("ignored") is not True:
            return {"text": part["text"]}
        case "file" if part.get("mime") not in _UNSENT:
            return media(part.get("url"), part.get("mime"), "file")
        case "subtask":
            return {"text": _SUBTASK}


def _is_open(part: Json) -> bool:
    """Whether a part is unfinished: a text without an end time, or a call that is pending."""
    if part.get("type") == "tool":
        return bool(at(part, "state.status") == "pending")
    time = object_at(part, "time")
    return "start" in time and "end" not in time


def _answer_part(part: Json, provider: str) -> Any:
    """Convert a part of an answer, with its signature if it is this provider's; None if it is not sent."""
    text = text_at(part, "text")
    signed = omit_empty(thoughtSignature=name_at(part, _SIGNATURES.get(provider, "")))
    match part.get("type"):
        case "text" if text:
            return {"text": text}
        case "reasoning":
            redacted = name_at(part, "metadata.anthropic.redactedData")
            if redacted and provider == "anthropic":
                return native(provider, {"type": "redacted_thinking", "data": redacted})
            return {"text": text, "thought": True, **signed} if text or signed else None
        case "tool":
            result: Any = call(part.get("callID"), name_at(part, "tool") or "tool", at(part, "state.input"))
            return {**result, **signed}


def _result(tool: Json) -> Part | None:
    """The result of a call; None if it has none."""
    state = object_at(tool, "state")
    pruned, failed = bool(at(state, "time.compacted")), state.get("status") == "error"
    if state.get("status") not in ("completed", "error"):
        return None
    text = text_at(state, "error" if failed else "output")
    partly = at(state, "metadata.output") if at(state, "metadata.interrupted") is True else None
    if failed and isinstance(partly, str):
        text, failed = partly, False
    elif pruned and not failed:
        text = CLEARED
    attached = [] if pruned else objects_at(state, "attachments")
    files = [media(file.get("url"), file.get("mime"), "file") for file in attached]
    return result(tool.get("callID"), tool.get("tool"), text, failed=failed, files=files)


PROGRAM = Program(
    "opencode", "opencode", recognises, read,
    (Place("OPENCODE_DB", "", ("",)),
     Place("XDG_DATA_HOME", ".local/share", ("opencode/opencode*.db",)),
     Place("XDG_DATA_HOME", ".local/share", ("opencode/storage/session/*/*.json",), "../../message/{}")),
    writer=f"{__name__}.write:File", format="anthropic", command="opencode",
    pairs={pairs.DOUBLE: pairs.BOTH_REFUSED},
)  # fmt: skip
KILO = PROGRAM._replace(
    name="kilo", title="Kilo", recognises=recognises_kilo, recognises_own=recognises, command="kilo",
    places=(Place("KILO_DB", "", ("",)), Place("XDG_DATA_HOME", ".local/share", ("kilo/kilo*.db",))),
    writer=f"{__name__}.write:KiloFile",
)  # fmt: skip
