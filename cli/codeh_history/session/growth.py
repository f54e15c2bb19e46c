"""A log that grows: what new lines mean beside a view, without folding those before them again.

Most lines say nothing of earlier ones: a message comes, a stream goes on, a setting changes. What does (an
edit, an undo, a compaction, an id that was there before) is left to the fold. A law holds that both say the
same.
"""

from __future__ import annotations

from collections.abc import Iterable

from .fold import Fold, fold, is_idless, number_calls
from .model import Message
from .records import IDLESS, Log, Record
from .rules import PLACING, RULES, STREAMING, brought, concerned, own_id
from .view import View

_TOLD = PLACING | STREAMING | {"meta", "session", "usage"}  # the types of which more than the fold can tell


class Growing:
    """The view of a log, and of its lines what must be known to tell what later ones mean.

    A view that was given away is not changed by what comes later; messages may be in several.
    """

    __slots__ = ("_doubled", "_idless", "_ids", "_named", "view")

    def __init__(self, log: Log) -> None:
        self.view = fold(log)
        self._ids: set[str] = set()  # that were brought in by any line
        self._named: set[str] = set()  # that a line says something of, perhaps before they are there
        self._doubled = False  # whether an id was brought in twice
        self._note(log.records)
        self._idless = 0 if log.lacks(IDLESS) else number_calls(self.view.all.values())

    def grow(self, more: Log) -> bool:
        """Take in the lines that follow; False, and nothing done, where only the whole fold can tell."""
        found = self._grown(more)
        if found is None:
            return False
        self.view, self._idless = found
        self._note(more.records)
        return True

    def foreseen(self, more: Log) -> View | None:
        """The view that these lines would make, which may never come; None where the fold must tell."""
        found = self._grown(more)
        return None if found is None else found[0]

    def _grown(self, more: Log) -> tuple[View, int] | None:
        """The view with these lines, and how many calls without an id it has."""
        old = self.view
        if self._doubled or old.header is None or old.log.keys is None or more.keys is None:
            return None
        view = _continued(old, more)
        folding = Fold(view)
        try:
            changed = self._read(old, view, folding, more.records)
        finally:
            folding.read.clear()  # a cycle
        idless = None if changed is None else self._number(old, view, changed)
        if changed is None or idless is None:
            return None
        _show(old, view, changed)
        return view, idless

    def _note(self, records: Iterable[Record]) -> None:
        for record in records:
            data = record.data
            for id in brought(data):
                self._doubled = self._doubled or id in self._ids
                self._ids.add(id)
            if data["type"] in RULES and data["type"] not in STREAMING:
                self._named.update(concerned(data))

    def _read(self, old: View, view: View, folding: Fold, records: Iterable[Record]) -> list[str] | None:
        """Fold these; the ids of the messages that changed. None where one says more than can be told."""
        changed: list[str] = []
        ids: set[str] = set()
        for place, record in enumerate(records, len(old.log.records)):
            data = record.data
            kind, id = data["type"], own_id(data)
            if (kind in RULES and kind not in _TOLD) or id in self._ids or id in self._named or id in ids:
                return None
            if id is not None:
                ids.add(id)
            if kind in STREAMING:
                message = view.all.get(data["of"])
                if message is None or not self._streams(message):
                    return None
                if message is old.all.get(message.id):
                    view.all[message.id] = message.copy()
                    changed.append(message.id)
            folding.read.get(kind, folding.carry)(place, record)
        for id in list(folding.pieces):
            folding.join(view.all[id])
        return changed

    def _streams(self, message: Message) -> bool:
        """Whether a message is being streamed, and nothing else was said of it."""
        apart = message.update is None and message.hidden is None and message.replaced is None
        return apart and message.pending is not None and message.id not in self._named

    def _number(self, old: View, view: View, changed: Iterable[str]) -> int | None:
        """Number the new calls without ids; None where calls after them would have other numbers."""
        if view.log.lacks(IDLESS):
            return self._idless
        last = next(reversed(old.all), None)
        before = self._idless
        for id in changed:
            more = _idless(view.all[id]) - _idless(old.all[id])
            if more and id != last:
                return None
            before += more
        new = (message for id, message in view.all.items() if id not in old.all)
        return number_calls(new, before)


def _continued(old: View, more: Log) -> View:
    """A view to be changed, of a log with these lines more."""
    log = old.log
    view = old.with_messages(list(old.messages))
    keys = (log.keys or set()) | (more.keys or set())
    view.log = Log([*log.records, *more.records], [*log.damage, *more.damage], more.size, keys)
    view.all, view.meta, view.carried = dict(old.all), dict(old.meta), list(old.carried)
    return view


def _show(old: View, view: View, changed: Iterable[str]) -> None:
    """Show new messages at the end, and changed ones as they are now."""
    left = set(changed)
    for place in range(len(view.messages) - 1, -1, -1):
        if not left:
            break
        id = view.messages[place].id
        if id in left:
            left.discard(id)
            view.messages[place] = view.all[id]
    view.messages += (message for id, message in view.all.items() if id not in old.all)


def _idless(message: Message) -> int:
    return sum(map(is_idless, message.own if message.own is not None else message.parts))
