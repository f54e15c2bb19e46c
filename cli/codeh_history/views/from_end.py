"""The last message with text, read from the end of the file; the fold answers where that is not enough."""

from __future__ import annotations

import os
from collections.abc import Container

from ..base.env import Env
from ..base.errors import Lost
from ..session.exchanges import text_of
from ..session.fold import View, fold
from ..session.model import Message
from ..session.records import Log, Record, parse
from ..session.rules import ANY, EARLIER, NAMED, OTHER, RULES, concerned
from ..store import read
from ..store.resolve import Target
from ..store.tail import lines_backwards
from .skim import NeedsFold
from .view import view_of

_STEP = 1 << 20
_PLAIN_ID = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:")


def last_message(
    env: Env, target: Target, role: str | None, *, strict: bool = False, lost: Lost | None = None
) -> Message | None:
    """The last committed message of that role (of either, without one) that has text; None without any."""
    if target.path != "-" and not strict:
        try:
            return from_end(target.path, role)
        except NeedsFold:
            pass
    return last_of(env, view_of(env, target, strict=strict, hydrate=False), role, lost)


def last_of(env: Env, view: View, role: str | None, lost: Lost | None) -> Message | None:
    """The same of a view of which nothing was fetched: more and more of its end is, until one has text."""
    sent = [m.id for m in view.messages if m.committed and m.role in _roles(role)]
    count = 1
    while True:
        newest = set(sent[-count:])
        view = whole_of(env, view, newest, lost)
        found = next((m for m in reversed(view.messages) if m.id in newest and text_of(m)), None)
        if found is not None or count >= len(sent):
            return found
        count *= 8


def whole_of(env: Env, view: View, ids: Container[str], lost: Lost | None) -> View:
    """The view with the parts of these messages."""
    if all(message.blocks is None for message in view.messages):
        return view
    from .late_media import Deferred
    from .stored_parts import hydrated

    return hydrated(env, view, media=Deferred(), lost=lost, only=lambda message: message.id in ids)


def _roles(role: str | None) -> tuple[str, ...]:
    return (role,) if role else ("user", "model")


def from_end(path: str, role: str | None) -> Message | None:
    """The same without reading what stands before it; raises NeedsFold where that may matter."""
    with read.Opened(path) as (fd, size):
        end = _End(role)
        for offset, line in lines_backwards(fd, size):
            log = parse([line])
            if log.damage or not log.records or log.records[0].bare is not None:
                raise NeedsFold
            message = end.read(log.records[0])
            found = message.id if message is not None else end.cleared
            if found is not None and occurs(fd, found, offset):
                raise NeedsFold  # then its place is the earlier one
            if found is not None:
                return message
        return None


class _End:
    """Records from the last to the first, until one is the message that is looked for."""

    def __init__(self, role: str | None) -> None:
        self.role = role
        self.cleared: str | None = None  # the id of a clear, which hides all that is still to come
        self.seen: set[str] = set()  # ids of messages met, which stand after what is still to come
        self.named: set[str] = set()  # what summaries, compactions and updates concern
        self.streamed: dict[str, list[Record]] = {}  # into messages still to come, the last first

    def read(self, record: Record) -> Message | None:
        """The message that a record brings in, if it is the one."""
        data = record.data
        rule = RULES.get(data["type"], OTHER)
        if rule.reach == ANY or "blockIds" in data:
            raise NeedsFold
        if rule.places:
            records = [record, *reversed(self.streamed.pop(data["id"], ()))]
            return self._candidate(fold(Log(records, [], 0)).all[data["id"]])
        if rule.streams:
            self.streamed.setdefault(data["of"], []).append(record)
        elif rule.reach == EARLIER:
            self.cleared = data["id"]
        elif rule.reach == NAMED:
            if any(op.get("op") == "insert" for op in data.get("ops") or ()):
                raise NeedsFold
            self.named.update(concerned(data))
        return None

    def _candidate(self, message: Message) -> Message | None:
        if message.id in self.seen:
            raise NeedsFold
        self.seen.add(message.id)
        if message.role not in _roles(self.role):
            return None
        if message.id in self.named:
            raise NeedsFold  # an update may have completed it, or given it text
        return message if message.committed and text_of(message) else None


def occurs(fd: int, id: str, end: int, step: int = _STEP) -> bool:
    """Whether an id stands, quoted, in the first `end` bytes; also if it is no plain text."""
    if not _PLAIN_ID.issuperset(id):
        return True
    needle = f'"{id}"'.encode()
    chunks = (os.pread(fd, min(step + len(needle), end - at), at) for at in range(0, end, step))
    return any(needle in chunk for chunk in chunks)
