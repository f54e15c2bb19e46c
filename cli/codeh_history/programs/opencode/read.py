"""A database of opencode, an export of it, or a file of the tree that was before it → sessions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import partial

from ...base.words import some
from ...providers.json_text import value_of
from ...providers.parts import name_of, object_of, objects
from ...session.model import Json
from .. import branches, pairs, values
from ..model import Effect, Problem, Session, Summary, Used
from ..protocol import Source
from ..records import time_of
from . import NAME, is_of_tree, messages, tree
from .messages import Message

_PAIRS: dict[pairs.Kind, tuple[Effect, str]] = {
    pairs.DOUBLE: ("refused", "opencode sends both, which its provider refuses"),
}

_BELOW = "SELECT * FROM session WHERE parent_id = ? ORDER BY id"
_KNOWN = "SELECT id FROM session"


def read(source: Source) -> Iterable[Session]:
    """The sessions of a database; of an export, or a file of the older tree, the one."""
    if source.head.tables:
        yield from _in_database(source)
        return
    yield from values.sessions(
        source, lambda value, _: _in_tree(source, value) if is_of_tree(value) else _exported(value)
    )


def _in_tree(source: Source, info: Json) -> Session:
    problems: list[Problem] = []
    session = _session(info, tree.messages(source, str(info["id"]), problems), problems)
    session.partial = tree.is_left(source)
    return session


def _exported(value: Json) -> Session:
    problems: list[Problem] = []
    found: dict[str, Message] = {}
    for number, one in enumerate(objects(value.get("messages")), 1):
        message = Message(number, object_of(one.get("info")), objects(one.get("parts")))
        if message.id in found:
            problems.append(Problem(0, "skips", f"message {number} repeats the id {message.id}"))
        found.setdefault(message.id, message)
    return _session(object_of(value.get("info")), list(found.values()), problems)


# -- the database ------------------------------------------------------------------------------------------


def _in_database(source: Source, *above: str) -> Iterator[Session]:
    """The sessions whose parent is the last of these: sub-agents are sessions of their own.

    `above`: all of which it is one, so that a circle of them has an end.
    """
    parent = above[-1] if above else None
    for row in _roots(source) if parent is None else list(source.rows(_BELOW, parent)):
        if row["id"] in above:
            continue
        problems: list[Problem] = []
        query = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
        found = [
            Message(number, info, _parts(source, str(info["id"]), problems))
            for number, info in enumerate(_values(source.rows(query, row["id"]), problems), 1)
        ]
        info = {
            **row, "parentID": row["parent_id"], "revert": value_of(row.get("revert")),
            "time": {"created": row.get("time_created")},
        }  # fmt: skip
        session = _session(info, found, [*problems, *_lost(source, row["id"])])
        session.partial = source.damage is not None
        session.branches = partial(_in_database, source, *above, row["id"])
        session.used = partial(_used, source, *above, row["id"])
        count = "SELECT count(*) AS n FROM session WHERE parent_id = ?"
        session.leave("session of a sub-agent", next(source.rows(count, row["id"]))["n"])
        yield session


def _roots(source: Source) -> list[Json]:
    """The sessions that have no parent; where rows were lost those too whose parent, or own row, was."""
    found = list(source.rows("SELECT * FROM session WHERE parent_id IS NULL ORDER BY id"))
    if source.damage is not None:
        found += source.rows(f"SELECT * FROM session WHERE parent_id NOT IN ({_KNOWN}) ORDER BY id")  # noqa: S608
        found += source.rows(
            f"SELECT DISTINCT session_id AS id, NULL AS parent_id FROM message"  # noqa: S608
            f" WHERE session_id NOT IN ({_KNOWN}) ORDER BY id"
        )
    return found


def _lost(source: Source, session: str) -> Iterator[Problem]:
    if source.damage is not None:
        orphans = "FROM part WHERE session_id = ? AND message_id NOT IN (SELECT id FROM message)"
        count = next(source.rows(f"SELECT count(*) AS n {orphans}", session))["n"]
        if count:
            yield Problem(0, "skips", f"{some(count, 'part')} of messages that are lost")


def _used(source: Source, *above: str) -> Iterator[Used]:
    for agent in _in_database(source, *above):
        yield from branches.used(agent)


def _parts(source: Source, message: str, problems: list[Problem]) -> list[Json]:
    query = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"
    return list(_values(source.rows(query, message), problems))


def _values(rows: Iterable[Json], problems: list[Problem]) -> Iterator[Json]:
    """The objects in the column of data, with their ids."""
    for row in rows:
        value = value_of(row["data"])
        if isinstance(value, dict):
            yield {**value, "id": row["id"]}
        else:
            problems.append(Problem(0, "skips", f"{row['id']}: no JSON object"))


# -- either ------------------------------------------------------------------------------------------------


def _session(info: Json, found: list[Message], problems: list[Problem]) -> Session:
    session = Session(NAME, name_of(info.get("id")) or "session", name_of(info.get("version")))
    session.created = time_of(object_of(info.get("time")).get("created"))
    session.cwd = name_of(info.get("directory"))
    session.titled(info.get("title"))
    if name_of(info.get("parentID")):
        session.below(f"{NAME}-{info['parentID']}", agent=True)
    ordered = sorted(found, key=_place)
    kept = _reverted(ordered, object_of(info.get("revert")))
    session.leave("message that was reverted", len(ordered) - len(kept))
    _Items(session).add(kept)
    session.problems += [*pairs.problems(session.items, _PAIRS), *problems]
    return session


def _place(message: Message) -> tuple[float, str]:
    created = object_of(message.info.get("time")).get("created")
    return (created if isinstance(created, int | float) else 0, message.id)


def _reverted(found: list[Message], revert: Json) -> list[Message]:
    """The messages before the one that was reverted, and of that one the parts before the one that was."""
    at = next((place for place, one in enumerate(found) if one.id == revert.get("messageID")), None)
    if at is None:
        return found
    parts, first = [part.get("id") for part in found[at].parts], name_of(revert.get("partID"))
    if first is None:
        return found[:at]
    if first not in parts:
        return found[: at + 1]
    return [*found[:at], found[at]._replace(parts=found[at].parts[: parts.index(first)])]


class _Items:
    """Makes entries and summaries of a session's messages."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.place = 0  # of the message among those that are left
        self.places: list[int] = []  # of the items that nothing covers, summaries aside
        self.live: list[str] = []  # their ids
        self.summary: str | None = None  # the one that nothing covers

    def add(self, found: list[Message]) -> None:
        answers = {
            name_of(message.info.get("parentID")): message for message in found
            if not message.is_users and message.info.get("summary") and message.info.get("finish")
            and not message.info.get("error")
        }  # fmt: skip
        places = {message.id: place for place, message in enumerate(found)}
        asked = {one.id for one in found if one.is_users and one.has("compaction") and one.id in answers}
        used = {answers[id].id for id in asked}
        for self.place, message in enumerate(found):
            self.session.left.update(messages.unknown(message))
            if message.id in asked:
                self.compacted(message, answers[message.id], places)
            elif message.id not in used:
                self.message(message, last=self.place == len(found) - 1)

    def message(self, message: Message, *, last: bool) -> None:
        if message.is_users:
            made = list(messages.asked(message))
        elif not message.is_sent():
            self.session.left["answer that failed"] += 1
            return
        else:
            made = list(messages.answered(message, last=last))
        for entry in made:
            self.session.items.append(entry)
            self.places.append(self.place)
            self.live.append(entry.id)

    def compacted(self, asked: Message, answer: Message, places: dict[str, int]) -> None:
        """The summary of all before it, but for the tail that it says was kept."""
        part = next(part for part in asked.parts if part.get("type") == "compaction")
        tail = bisect_left(self.places, places.get(str(part.get("tail_start_id")), self.place))
        covers = [*([self.summary] if self.summary else []), *self.live[:tail]]
        del self.live[:tail], self.places[:tail]
        self.session.items.append(Summary(answer.id, answer.ts, answer.text(), answer.number, covers))
        self.summary = answer.id
