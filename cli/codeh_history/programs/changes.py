"""What a copy lacks of its source: the records that bring it to what the source says now.

A message is known by its id, and how much of it by the lines of the source that its record names
(`imported`); what it says now is compared with what an import brought. What was done here stays: what was
undone, altered or redacted here does not come back. Only records that an import made are taken back by a
later one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..providers.json_text import loads
from ..session.fold import View
from ..session.model import MARK, Json, Message, Part
from ..session.records import block_of, dumps
from ..session.redactions import REDACTION, names_in
from ..session.rules import PLACING
from . import records
from .fields import list_at, made_id, omit_empty
from .model import Entry, Item, Session

_LATE = ("usage", "finish")  # what is known of a message when all of it is there
_UNNAMED = " +"  # in what a line is called that nothing names
_CONTENT = ("parts", "blockIds", "flowId", "summary")
_NOTHING: Json = {"parts": [{"text": "[redacted]"}], "summary": "[redacted]"}  # where it is not known


@dataclass(frozen=True)
class Changes:
    """`records` to append; `apart`: why they cannot be, for copy and source went different ways."""

    records: list[Json]
    apart: str | None = None


def changes(session: Session, view: View) -> Changes:
    """What to append to the copy of a session whose view this is; its parts must be at hand."""
    return _Comparison(session, view).changes()


def anew(session: Session, view: View) -> Iterator[Json]:
    """The records of another copy; what was redacted in the one before, whose view this is, stays so."""
    return map(_Comparison(session, view).as_redacted, records.records(session))


class _Comparison:
    def __init__(self, session: Session, view: View) -> None:
        self.session = session
        self.view = view
        self.new: list[Json] = []  # the records to append
        self.taken: set[str] = set()  # all ids
        self.places: dict[str, int] = {}  # of each message and summary, dead ones too, the first
        self.reverts: dict[str, list[Json]] = {}  # the live reverts of an id
        self.settings: Json = {}  # as they were imported last
        # of each item that an import brought in the record of its content, and how many pieces that had
        self.brought: dict[str, tuple[Json, int]] = {}
        self.redacted: set[str] = set()  # names of records, and the messages that these are of
        self.kept: Json = {}  # settings that were redacted, each as its record is called
        updates: dict[str, Json] = {}
        for place, record in enumerate(view.log.records):
            self.note(place, record.data, updates, dead=place in view.dead)

    def note(self, place: int, data: Json, updates: dict[str, Json], *, dead: bool) -> None:
        """Take what a record of the copy says."""
        kind = data["type"]
        placing = kind in PLACING or kind == "summary"
        if "id" in data:
            self.taken.add(data["id"])
        if placing:
            self.places.setdefault(data["id"], place)
        if kind == "revert" and not dead:
            self.reverts.setdefault(data["of"], []).append(data)
        if kind == "meta" and MARK in data:
            self.settings |= data["set"]
            time = data.get("ts", "")
            if (f"meta {time}" if time else _UNNAMED) in self.redacted:
                self.kept |= dict.fromkeys(data["set"], time)
        elif MARK in data and placing:
            self.brought[data["id"]] = data, len(list_at(data, MARK))
        elif kind == "update":
            updates[data["id"]] = data
            if data["id"] in self.redacted:
                self.redacted.add(data["of"])
        elif kind == "commit" and MARK in data and data["of"] in updates:
            update = updates[data["of"]]
            self.brought[update["of"]] = update, len(list_at(data, MARK))
        elif kind == REDACTION:
            names = (_UNNAMED if _UNNAMED in name else name.partition(" #")[0] for name in names_in(data))
            self.redacted.update(names)

    def changes(self) -> Changes:
        """All that is new, after what is gone from the source was taken back."""
        wanted = {item.id for item in self.session.items}
        gone = self.brought.keys() - wanted if not self.session.partial else ()
        for id in sorted(gone, key=self.places.__getitem__, reverse=True):
            if id not in self.reverts:
                self.revert(id)
        own = (m for m in self.view.messages if m.role and m.after is None and m.id not in self.brought)
        continued = next(own, None)  # the first message of its own
        apart = self.items(continued)
        self.new += [
            used for used in map(records.used, self.session.used()) if used["id"] not in self.taken
        ]
        current = self.session.settings.items()
        settings = {k: v for k, v in current if self.settings.get(k) != v and k not in self.kept}
        if settings:
            self.new.append(records.settings(self.session, settings))
        if continued is not None and self.new:
            apart = f"it was continued here ({continued.id})"
        return Changes(self.new, apart)

    def items(self, continued: Message | None) -> str | None:
        """Bring each item in, or to what it is now; why that cannot be done by appending, if it cannot.

        A copy that was `continued` keeps its own wording.
        """
        broken = {problem.line for problem in self.session.problems}
        exact = continued is None and not self.session.partial and 0 not in broken
        last, new = -1, False
        before: dict[str, Item] = {}
        for item in self.session.items:
            before[item.id] = item
            place = self.places.get(item.id)
            if place is None:
                new = new or isinstance(item, Entry)
                self.new.append(records.record(item, self.session.program, before))
                continue
            if isinstance(item, Entry):
                if new or place < last:
                    return f"its messages are in another order now, from {item.id} on"
                last = place
            undone = self.reverts.get(item.id, [])
            for revert in undone if all(MARK in revert for revert in undone) else ():
                self.revert(revert["id"])
            if isinstance(item, Entry) and not undone:
                self.compare(item, exact=exact and broken.isdisjoint(item.lines))
        return None

    def compare(self, item: Entry, *, exact: bool) -> None:
        """Update a live message that was brought in before, if it grew or says something else."""
        message = self.view.all.get(item.id)
        if message is None or MARK not in message.fields:
            return
        brought, had = self.brought.get(item.id, ({}, 0))
        own, new = message.own or (), item.pieces[had:]
        parts, other = [*own, *(part for piece in new for part in piece.parts)], False
        if exact and len(item.pieces) >= had and item.id not in self.redacted and _same(own, brought):
            parts = item.parts
            more = any(key in item.fields and key not in message.fields for key in _LATE)
            other = more or not _same(parts, brought)
        if not new and not other:
            return
        names = ("update", item.id)
        whole = made_id(self.session.program, self.session.id, *names, len(item.pieces))
        id = whole if new else self.new_id(*names, dumps(parts))
        time, late = omit_empty(ts=item.ts), {key: item.fields[key] for key in _LATE if key in item.fields}
        self.new.append({"type": "update", "id": id, "of": item.id, **time, "parts": parts})
        self.new.append({"type": "commit", "of": id, **time, **late, MARK: item.lines})

    def as_redacted(self, record: Json) -> Json:
        """A record of the source with what is left here of its content, where some of it was redacted."""
        if record["type"] == "meta" and (both := self.kept.keys() & record["set"].keys()):
            kept = {key: self.settings[key] for key in both}
            time = max(self.kept[key] for key in both)
            return {**record, **({"ts": time} if time else {}), "set": {**record["set"], **kept}}
        id = record.get("id")
        if id not in self.redacted:
            return record
        held, _ = self.brought.get(id, (_NOTHING, 0))
        content = {key: held[key] for key in _CONTENT if key in held}
        if "parts" in held or "summary" in held:
            return {**record, **content}
        return {**{key: value for key, value in record.items() if key != "parts"}, **content, "type": "ref"}

    def revert(self, of: str) -> None:
        self.new.append(records.revert(self.session, self.new_id("revert", of), of))

    def new_id(self, *of: object) -> str:
        """An id that is a function of these, and of how often it was made."""
        number = 1
        while (id := made_id(self.session.program, self.session.id, *of, number)) in self.taken:
            number += 1
        self.taken.add(id)
        return id


def _same(parts: Sequence[Part], record: Json) -> bool:
    """Whether these are the parts of a record, which was stored."""
    held = record.get("parts")
    if held == parts:
        return True
    stored = loads(dumps(parts))
    return stored == held if held is not None else [*map(block_of, stored)] == record.get("blockIds")
