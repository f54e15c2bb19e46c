"""A dump of LangChain → its conversations: a list of messages is one, else each object that holds some."""

from __future__ import annotations

from collections.abc import Iterable

from ...providers.parts import object_of
from ...session.model import Json
from .. import values
from ..conversation import Conversation, Names, opening
from ..model import Problem, Session
from ..protocol import Refused, Source
from . import NAME, is_message, messages
from .message import Reader, data_of

_USERS = ("human", "HumanMessage", "HumanMessageChunk", "user")


def read(source: Source) -> Iterable[Session]:
    """The conversations of a file."""
    names = Names()
    if any(map(is_message, source.head.values)):
        return [_alone(source, names)]
    return values.sessions(source, lambda value, number: _held(value, number, names))


def _alone(source: Source, names: Names) -> Session:
    """A file that is a list of messages."""
    problems: list[Problem] = []
    found = list(values.objects(source, problems))
    if not found:
        raise Refused("no messages in it")
    session = _session([value for _, value in found], None, names)
    session.problems += problems
    return session


def _held(value: Json, number: int, names: Names) -> Session:
    id = (
        value.get("thread_id")
        or value.get("session_id")
        or object_of(value.get("kwargs")).get("session_id")
    )
    session = _session(messages(value), id, names)
    if not session.items:
        session.problem(0, "skips", f"object {number}: no messages in it")
    return session


def _session(items: list[Json], id: object, names: Names) -> Session:
    kinds = [{"role": data_of(item)[0]} if is_message(item) else {} for item in items]
    first = items[: len(opening(kinds, "role", _USERS))]
    session = Session(NAME, names.id(id, first))
    talk = Conversation(session)
    reader = Reader(talk)
    for talk.number, item in enumerate(items, 1):
        if is_message(item):
            reader.message(item)
        else:
            session.problem(0, "skips", f"message {talk.number}: not one of LangChain's")
    return session
