"""What a copy lacks of its source: the records that bring it to what the source says now.

A message is known by its id, and how much of it by the lines of the source that its record names
(`imported`). What was done here stays: what was undone, altered or redacted here does not come back. Only
records that an import made are taken back by a later one.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..session.fold import View
from ..session.imported import MARK
from ..session.model import Json
from ..session.rules import PLACING
from . import records
from .model import Entry, Session, Summary
from .records import made_id


@dataclass(frozen=True)
class Changes:
    """`records` to append; `apart`: why they cannot be, for copy and source went different ways."""

    records: list[Json]
    apart: str | None = None


def changes(session: Session, view: View) -> Changes:
    """What to append to the copy of a session whose view this is; its parts must be at hand."""
    return _Comparison(session, view).changes()


class _Comparison:
    def __init__(self, session: Session, view: View) -> None:
        self.session = session
        self.view = view
        self.found: list[Json] = []
        self.taken: set[str] = set()  # all ids
        self.places: dict[str, int] = {}  # of each message and summary, dead ones too, the first
        self.came: set[str] = set()  # those that an import brought in
        self.reverts: dict[str, list[Json]] = {}  # the live reverts of an id
        self.settings: Json = {}  # as they were imported last
        for place, record in enumerate(view.log.records):
            self.note(place, record.data, dead=place in view.dead)

    def note(self, place: int, data: Json, *, dead: bool) -> None:
        kind = data["type"]
        if "id" in data:
            self.taken.add(data["id"])
        if kind in PLACING or kind == "summary":
            self.places.setdefault(data["id"], place)
        if kind == "revert" and not dead:
            self.reverts.setdefault(data["of"], []).append(data)
        if kind == "meta" and MARK in data:
            self.settings |= data["set"]
        elif MARK in data and (kind in PLACING or kind == "summary"):
            self.came.add(data["id"])

    def changes(self) -> Changes:
        wanted = {item.id for item in self.session.items}
        gone = self.came - wanted if not self.session.partial else ()
        for id in sorted(gone, key=self.places.__getitem__, reverse=True):
            if id not in self.reverts:
                self.revert(id)
        apart = self.items()
        self.found += [one for one in map(records.used, self.session.used()) if one["id"] not in self.taken]
        settings = {k: v for k, v in self.session.settings.items() if self.settings.get(k) != v}
        if settings:
            self.found.append(records.settings(self.session, settings))
        here = next(
            (m for m in self.view.messages if m.role and m.after is None and m.id not in self.came), None
        )
        if here is not None and self.found:
            apart = f"it was continued here ({here.id})"
        return Changes(self.found, apart)

    def items(self) -> str | None:
        """Bring each item in, or to what it is now; why that cannot be done by appending, if it cannot."""
        last, new = -1, False
        before: dict[str, Entry | Summary] = {}
        for item in self.session.items:
            before[item.id] = item
            place = self.places.get(item.id)
            if place is None:
                new = new or isinstance(item, Entry)
                self.found.append(records.record(item, self.session.program, before))
                continue
            if isinstance(item, Entry):
                if new or place < last:
                    return f"its messages are in another order now, from {item.id} on"
                last = place
            self.known(item)
        return None

    def known(self, item: Entry | Summary) -> None:
        """An item that was brought in before: is it live, and did it grow?"""
        if item.id in self.reverts:
            if all(MARK in revert for revert in self.reverts[item.id]):
                for revert in self.reverts[item.id]:
                    self.revert(revert["id"])
            return
        message = self.view.all.get(item.id)
        if isinstance(item, Summary) or message is None or MARK not in message.fields:
            return
        had = len(message.fields[MARK])
        if len(item.pieces) <= had:
            return
        id = made_id(self.session.program, self.session.id, "update", item.id, len(item.pieces))
        parts = [*(message.own or ()), *(part for piece in item.pieces[had:] for part in piece.parts)]
        time = {"ts": item.ts} if item.ts else {}
        self.found.append({"type": "update", "id": id, "of": item.id, **time, "parts": parts})
        given: Json = {key: item.fields[key] for key in ("usage", "finish") if key in item.fields}
        self.found.append({"type": "commit", "of": id, **time, **given, MARK: item.lines})

    def revert(self, of: str) -> None:
        number = 1
        while (id := made_id(self.session.program, self.session.id, "revert", of, number)) in self.taken:
            number += 1
        self.taken.add(id)
        last = next((item.ts for item in reversed(self.session.items) if item.ts), self.session.created)
        self.found.append(
            {"type": "revert", "id": id, "of": of, **({"ts": last} if last else {}), MARK: []}
        )
