"""A database of opencode, an export of it, or a file of the tree that was before it → sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from ...base.words import some
from ...providers.json_text import loads, value_of
from ...providers.parts import name_of, object_of, objects
from ...session.model import Json
from .. import pairs
from .. import source as values
from ..builder import Builder
from ..model import Problem, Session, Used
from ..protocol import Program, Refused, Source
from ..records import time_of
from ..tree import used
from . import is_of_tree
from .messages import Message, entries, unknown

_PAIRS: pairs.Does = {
    pairs.DOUBLE: ("refused", "{} sends both, which its provider refuses"),
}
_BELOW = "SELECT * FROM session WHERE parent_id = ? ORDER BY id"
_KNOWN = "SELECT id FROM session"
_STORAGE, _DATA = 2, 3  # how far above the folder of a session's own file in the tree


def read(source: Source, program: Program) -> Iterable[Session]:
    """The sessions of a database; of an export, or a file of the older tree, the one."""
    if source.head.tables:
        yield from _in_database(source, program)
        return

    def one(value: Json, _: int) -> Session:
        return _in_tree(source, program, value) if is_of_tree(value) else _exported(program, value)

    yield from values.sessions(source, one)


def _exported(program: Program, value: Json) -> Session:
    problems: list[Problem] = []
    unique: dict[str, Message] = {}
    for number, one in enumerate(objects(value.get("messages")), 1):
        message = Message(number, object_of(one.get("info")), objects(one.get("parts")))
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
        Message(number, message, [part for _, part in _in_folder(source, problems, "part", name)])
        for number, (name, message) in enumerate(
            _in_folder(source, problems, "message", str(info["id"])), 1
        )
    ]
    if not messages:
        problems.append(Problem(0, "skips", f"no messages in storage/message/{info['id']}"))
    session = _session(program, info, messages, problems)
    # beside a database the program writes to the tree no more
    session.partial = any(name.endswith(".db") for name in source.names(above=_DATA))
    return session


def _in_folder(source: Source, problems: list[Problem], *folder: str) -> Iterator[tuple[str, Json]]:
    """The objects of the files in a folder, by the names of these, each with its id."""
    for file in source.names(*folder, above=_STORAGE):
        name = file.removesuffix(".json")
        if name == file:
            continue
        where = f"{'/'.join(folder)}/{file}"
        try:
            value = loads(source.beside(*folder, file, above=_STORAGE))
        except Refused as error:
            problems.append(Problem(0, "skips", str(error)))
        except ValueError as error:
            problems.append(Problem(0, "skips", f"{where}: not JSON: {error}"))
        else:
            if isinstance(value, dict):
                yield name, {**value, "id": name_of(value.get("id")) or name}
            else:
                problems.append(Problem(0, "skips", f"{where}: no JSON object"))


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
        rows += source.rows(
            f"SELECT DISTINCT session_id AS id, NULL AS parent_id FROM message"  # noqa: S608
            f" WHERE session_id NOT IN ({_KNOWN}) ORDER BY id"
        )
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
    session.problems += [*pairs.problems(session.items, _PAIRS, program.title), *problems]
    return session


def _reverted(messages: list[Message], revert: Json) -> list[Message]:
    """The messages before the one that was reverted, and of that one the parts before the one that was."""
    at = next((place for place, one in enumerate(messages) if one.id == revert.get("messageID")), None)
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
    compactions = {
        one.id for one in messages if one.is_users and one.has("compaction") and one.id in answers
    }
    summaries = {answers[id].id for id in compactions}
    places = {message.id: place for place, message in enumerate(messages)}
    place_of: dict[str, int] = {}  # of an item, the place of its message
    for place, message in enumerate(messages):
        session.left.update(unknown(message))
        if message.id in compactions:
            part = next(part for part in message.parts if part.get("type") == "compaction")
            tail = places.get(str(part.get("tail_start_id")), place)  # from where on all was kept
            keep = [id for id in talk.live if place_of.get(id, -1) >= tail]
            answer = answers[message.id]
            talk.number = answer.number
            talk.summarise(answer.id, answer.ts, answer.text(), keep)
        elif message.id in summaries:
            continue
        elif not message.is_users and not message.is_sent():
            session.left["answer that failed"] += 1
        else:
            last = place == len(messages) - 1
            for entry in entries(message, last=last):
                talk.keep(entry)
                place_of[entry.id] = place
