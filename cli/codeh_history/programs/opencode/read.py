"""A database of opencode, an export of it, or a file of the tree that was before it → sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...base.words import some
from ...providers import usage
from ...providers.json_text import loads, value_of
from ...providers.parts import call, name_of, native, object_of, objects, text_of
from ...session.model import Json, Part
from .. import source as values
from ..builder import Builder, media, result
from ..model import Entry, Piece, Problem, Session, Used, omit_empty
from ..protocol import Program, Refused, Source
from ..records import made_id, time_of
from ..tree import used
from . import is_of_tree

CLEARED = "[Old tool result content cleared]"  # what stands for an output that was pruned
_SUBTASK = "The following tool was executed by the user"
_UNSENT = ("text/plain", "application/x-directory")  # files whose text stands beside them
_TYPES = (
    "text", "file", "tool", "reasoning", "step-start", "subtask", "step-finish", "snapshot", "patch",
    "agent", "retry", "compaction",
)  # fmt: skip
_FORMATS = {  # by the provider that a model is of
    "anthropic": "anthropic", "openai": "openai-responses", "google": "gemini", "google-vertex": "gemini",
    "google-vertex-anthropic": "anthropic",
}  # fmt: skip
_OTHERS = "openai-chat"
_SIGNATURES = {"anthropic": ("anthropic", "signature"), "gemini": ("google", "thoughtSignature")}
_USAGE = {
    "input": "input cache.read cache.write", "output": "output reasoning", "cached": "cache.read",
    "cacheWrite": "cache.write", "reasoning": "reasoning", "total": "total",
}  # fmt: skip
_BELOW = "SELECT * FROM session WHERE parent_id = ? ORDER BY id"
_KNOWN = "SELECT id FROM session"
_STORAGE, _DATA = 2, 3  # how far above the folder of a session's own file in the tree


def read(source: Source, program: Program) -> Iterable[Session]:
    """The sessions of a database; of an export, or a file of the older tree, the one."""
    if source.head.tables:
        yield from _in_database(source, program)
        return

    def session_of(value: Json, _: int) -> Session:
        return _in_tree(source, program, value) if is_of_tree(value) else _exported(program, value)

    yield from values.sessions(source, session_of)


def _exported(program: Program, value: Json) -> Session:
    problems: list[Problem] = []
    unique: dict[str, Message] = {}
    for number, exported in enumerate(objects(value.get("messages")), 1):
        message = Message(number, object_of(exported.get("info")), objects(exported.get("parts")))
        if message.id in unique:
            problems.append(Problem(0, "skips", f"message {number} repeats the id {message.id}"))
        unique.setdefault(message.id, message)
    return _session(program, object_of(value.get("info")), list(unique.values()), problems)


# -- the older tree of JSON files --------------------------------------------------------------------------


def _in_tree(source: Source, program: Program, info: Json) -> Session:
    """A session's file (`storage/session/PROJECT/ID.json`).

    Its messages (`storage/message/ID/…`) and their parts (`storage/part/MESSAGE/…`) are in folders of their
    own; a file that cannot be read costs itself.
    """
    problems: list[Problem] = []
    messages = [
        Message(number, message, [*_in_folder(source, problems, "part", message["file"])])
        for number, message in enumerate(_in_folder(source, problems, "message", str(info["id"])), 1)
    ]
    if not messages:
        problems.append(Problem(0, "skips", f"no messages in storage/message/{info['id']}"))
    session = _session(program, info, messages, problems)
    # beside a database the program writes to the tree no more
    session.partial = any(name.endswith(".db") for name in source.names(above=_DATA))
    return session


def _in_folder(source: Source, problems: list[Problem], *folder: str) -> Iterator[Json]:
    """The objects of the files in a folder, by the names of these, each with its id and its `file`."""
    names = (name.removesuffix(".json") for name in source.names(*folder, above=_STORAGE))
    for name in names:
        where = (*folder, f"{name}.json")
        try:
            value = loads(source.beside(*where, above=_STORAGE))
        except (Refused, ValueError) as error:
            why = "" if isinstance(error, Refused) else f"{'/'.join(where)}: not JSON: "
            problems.append(Problem(0, "skips", f"{why}{error}"))
            continue
        if isinstance(value, dict):
            yield {**value, "id": name_of(value.get("id")) or name, "file": name}
        else:
            problems.append(Problem(0, "skips", f"{'/'.join(where)}: no JSON object"))


# -- the database ------------------------------------------------------------------------------------------


def _in_database(source: Source, program: Program, *above: str) -> Iterator[Session]:
    """The sessions whose parent is the last of these: sub-agents are sessions of their own.

    `above`: all of which it is one, so that a circle of them has an end.
    """
    for row in list(source.rows(_BELOW, above[-1])) if above else _roots(source):
        if row["id"] in above:
            continue
        problems: list[Problem] = []
        query = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
        of_message = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"
        messages = [
            Message(number, info, list(_values(source.rows(of_message, str(info["id"])), problems)))
            for number, info in enumerate(_values(source.rows(query, row["id"]), problems), 1)
        ]
        info = {
            **row, "parentID": row["parent_id"], "revert": value_of(row.get("revert")),
            "time": {"created": row.get("time_created")},
        }  # fmt: skip
        session = _session(program, info, messages, [*problems, *_lost(source, row["id"])])
        session.partial = source.damage is not None
        session.branches = partial(_in_database, source, program, *above, row["id"])
        session.used = partial(_used, source, program, *above, row["id"])
        count = "SELECT count(*) AS n FROM session WHERE parent_id = ?"
        session.leave("session of a sub-agent", next(source.rows(count, row["id"]))["n"])
        yield session


def _roots(source: Source) -> list[Json]:
    """The sessions that have no parent; where rows were lost those too whose parent, or own row, was."""
    rows = list(source.rows("SELECT * FROM session WHERE parent_id IS NULL ORDER BY id"))
    if source.damage is not None:
        rows += source.rows(f"SELECT * FROM session WHERE parent_id NOT IN ({_KNOWN}) ORDER BY id")  # noqa: S608
        lost = "SELECT DISTINCT session_id AS id, NULL AS parent_id FROM message WHERE session_id"
        rows += source.rows(f"{lost} NOT IN ({_KNOWN}) ORDER BY id")
    return rows


def _lost(source: Source, session: str) -> Iterator[Problem]:
    if source.damage is not None:
        orphans = "FROM part WHERE session_id = ? AND message_id NOT IN (SELECT id FROM message)"
        count = next(source.rows(f"SELECT count(*) AS n {orphans}", session))["n"]
        if count:
            yield Problem(0, "skips", f"{some(count, 'part')} of messages that are lost")


def _used(source: Source, program: Program, *above: str) -> Iterator[Used]:
    for agent in _in_database(source, program, *above):
        yield from used(agent)


def _values(rows: Iterable[Json], problems: list[Problem]) -> Iterator[Json]:
    """The objects in the column of data, with their ids."""
    for row in rows:
        value = value_of(row["data"])
        if isinstance(value, dict):
            yield {**value, "id": row["id"]}
        else:
            problems.append(Problem(0, "skips", f"{row['id']}: no JSON object"))


# -- any ---------------------------------------------------------------------------------------------------


def _session(program: Program, info: Json, messages: list[Message], problems: list[Problem]) -> Session:
    session = Session(program.name, name_of(info.get("id")) or "session", name_of(info.get("version")))
    session.created = time_of(object_of(info.get("time")).get("created"))
    session.cwd = name_of(info.get("directory"))
    session.titled(info.get("title"))
    if name_of(info.get("parentID")):
        session.set_parent(f"{program.name}-{info['parentID']}", agent=True)
    ordered = sorted(messages, key=lambda message: (message.created, message.id))
    kept = _reverted(ordered, object_of(info.get("revert")))
    session.leave("message that was reverted", len(ordered) - len(kept))
    _add(session, kept)
    session.problems += problems
    return session


def _reverted(messages: list[Message], revert: Json) -> list[Message]:
    """The messages before the one that was reverted, and of that one the parts before the one that was."""
    at = next(
        (place for place, message in enumerate(messages) if message.id == revert.get("messageID")), None
    )
    if at is None:
        return messages
    parts, first = [part.get("id") for part in messages[at].parts], name_of(revert.get("partID"))
    if first is None:
        return messages[:at]
    cut = parts.index(first) if first in parts else len(parts)
    return [*messages[:at], messages[at]._replace(parts=messages[at].parts[:cut])]


def _add(session: Session, messages: list[Message]) -> None:
    """Make entries and summaries of a session's messages."""
    talk = Builder(session)
    answers = {
        name_of(message.info.get("parentID")): message for message in messages
        if not message.is_users and message.info.get("summary") and message.info.get("finish")
        and not message.info.get("error")
    }  # fmt: skip
    places = {message.id: place for place, message in enumerate(messages)}
    place_of: dict[str, int] = {}  # of an item, the place of its message
    summaries: set[str] = set()
    for place, message in enumerate(messages):
        unknown = (str(part.get("type")) for part in message.parts if part.get("type") not in _TYPES)
        session.left.update(f"{kind} part" for kind in unknown)
        compaction = next((part for part in message.parts if part.get("type") == "compaction"), None)
        answer = answers.get(message.id) if message.is_users and compaction else None
        if answer is not None and compaction is not None:
            summaries.add(answer.id)
            tail = places.get(str(compaction.get("tail_start_id")), place)  # from where on all was kept
            keep = [id for id in talk.live if place_of.get(id, -1) >= tail]
            talk.number = answer.number
            talk.summarise(answer.id, answer.ts, answer.text(), keep)
        elif message.id in summaries:
            continue
        elif not message.is_users and not message.is_sent():
            session.left["answer that failed"] += 1
        else:
            for entry in _entries(message, last=place == len(messages) - 1):
                talk.keep(entry)
                place_of[entry.id] = place


# -- messages ----------------------------------------------------------------------------------------------


class Message(NamedTuple):
    """A message with its parts, in their order, and which of the session it is."""

    number: int
    info: Json
    parts: Sequence[Json]

    @property
    def id(self) -> str:
        return name_of(self.info.get("id")) or made_id("message", self.number)

    @property
    def is_users(self) -> bool:
        return self.info.get("role") == "user"

    def is_sent(self) -> bool:
        """Whether the program sends an answer: none that failed, but what one that was aborted had said."""
        error = self.info.get("error")
        if not error:
            return True
        some = any(part.get("type") not in ("step-start", "reasoning") for part in self.parts)
        return object_of(error).get("name") == "MessageAbortedError" and some

    def text(self) -> str:
        """What it says, thoughts aside."""
        texts = [text_of(part.get("text")) for part in self.parts if part.get("type") == "text"]
        return "\n\n".join(text for text in texts if text)

    @property
    def created(self) -> float:
        created = object_of(self.info.get("time")).get("created")
        return created if isinstance(created, int | float) else 0

    @property
    def ts(self) -> str | None:
        return time_of(object_of(self.info.get("time")).get("created"))


def _entries(message: Message, *, last: bool) -> Iterator[Entry]:
    """A prompt, or an answer: each step of it is a message, and one of its results.

    What the `last` one is still writing is left out: it is read when it stands there.
    """
    if not message.is_users:
        yield from _answer(message, last=last)
        return
    pieces = [Piece(message.number, [part]) for part in map(_users, message.parts) if part is not None]
    if pieces:
        yield Entry(message.id, "user", message.ts, pieces)


def _users(part: Json) -> Any:
    kind = part.get("type")
    if kind == "text" and text_of(part.get("text")) and part.get("ignored") is not True:
        return {"text": part["text"]}
    if kind == "file" and part.get("mime") not in _UNSENT:
        return _file(part)
    return {"text": _SUBTASK} if kind == "subtask" else None


def _file(part: Json) -> Part:
    return media(part.get("url"), part.get("mime"), "file")


def _answer(message: Message, *, last: bool) -> Iterator[Entry]:
    info = message.info
    writing = last and not object_of(info.get("time")).get("completed") and not info.get("error")
    provider = _FORMATS.get(text_of(info.get("providerID")), _OTHERS)
    steps = [step for step in _steps(message.parts) if step]
    for number, step in enumerate(steps):
        id = message.id if number == 0 else f"{message.id}.{number}"
        fields = _fields(info, provider, used=number == len(steps) - 1)
        kept = [part for part in step if not (writing and _is_open(part))]
        answer = [Piece(message.number, [new]) for part in kept for new in _answer_parts(part, provider)]
        if answer:
            yield Entry(id, "codeh", message.ts, answer, fields)
        tools = [part for part in kept if part.get("type") == "tool"]
        tools.sort(key=_ended)
        results = [Piece(message.number, [part]) for tool in tools for part in _result(tool)]
        if results:
            yield Entry(f"{id}.results", "tool", message.ts, results)


def _steps(parts: Sequence[Json]) -> Iterator[list[Json]]:
    step: list[Json] = []
    for part in parts:
        if part.get("type") == "step-start":
            yield step
            step = []
        else:
            step.append(part)
    yield step


def _is_open(part: Json) -> bool:
    """Whether a part is being written: a text that has begun, a call whose arguments are not there yet."""
    if part.get("type") == "tool":
        return object_of(part.get("state")).get("status") == "pending"
    time = object_of(part.get("time"))
    return "start" in time and "end" not in time


def _answer_parts(part: Json, provider: str) -> Iterator[Any]:
    kind, text = part.get("type"), text_of(part.get("text"))
    signed = _signature(part, provider)
    if kind == "text" and text:
        yield {"text": text}
    elif kind == "reasoning":
        redacted = object_of(object_of(part.get("metadata")).get("anthropic")).get("redactedData")
        if name_of(redacted) and provider == "anthropic":
            yield native(provider, {"type": "redacted_thinking", "data": redacted})
        elif text or signed:
            yield {"text": text, "thought": True, **signed}
    elif kind == "tool":
        name = name_of(part.get("tool")) or "tool"
        made: Any = call(part.get("callID"), name, object_of(part.get("state")).get("input"))
        yield {**made, **signed}


def _signature(part: Json, provider: str) -> Json:
    """The signature of a thought, or of a call, by whom it was made."""
    maker, field = _SIGNATURES.get(provider, ("", ""))
    signature = object_of(object_of(part.get("metadata")).get(maker)).get(field)
    return omit_empty(thoughtSignature=name_of(signature))


def _ended(tool: Json) -> float:
    """When a call ended: later results come behind those that are there."""
    end = object_of(object_of(tool.get("state")).get("time")).get("end")
    return end if isinstance(end, int | float) else 0


def _result(tool: Json) -> Iterator[Part]:
    """The part of a call's result; none where it has none."""
    state = object_of(tool.get("state"))
    status, about = state.get("status"), object_of(state.get("metadata"))
    pruned = bool(object_of(state.get("time")).get("compacted"))
    if status == "completed":
        text, failed = CLEARED if pruned else text_of(state.get("output")), False
    elif status == "error":
        kept = about.get("output") if about.get("interrupted") is True else None
        text, failed = (kept, False) if isinstance(kept, str) else (text_of(state.get("error")), True)
    else:
        return
    held = [] if pruned else [_file(file) for file in objects(state.get("attachments"))]
    yield result(tool.get("callID"), tool.get("tool"), text, failed=failed, held=held)


def _fields(info: Json, provider: str, *, used: bool) -> Json:
    raw = object_of(info.get("tokens")) if used else {}
    counted = usage.read(raw, _USAGE)
    model, finish = name_of(info.get("modelID")), name_of(info.get("finish"))
    return omit_empty(provider=provider, model=model, finish=finish, usage=counted)
