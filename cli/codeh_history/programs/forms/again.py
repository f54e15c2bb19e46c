"""What a session lacks of a file of one of our forms that was imported into it before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...session.fold import View
from ...session.model import Json
from ...session.records import block_of, dumps
from ...session.redactions import REDACTION, names_in
from ...session.rules import PLACING
from .history import UNREAD


class OtherContent(Exception):
    """Why a session is not what was imported of a file before, and more of it cannot be appended."""


def missing(records: Sequence[Json], view: View) -> list[Json]:
    """The records that a session lacks; OtherContent where what it has does not begin them.

    What was undone, altered or redacted here stays so. The oldest messages may be gone from the file: they
    stay, covered by the summaries that are new in it.
    """
    held = _Held(view)
    new = [record for record in records if not held.has(record)]
    messages = [record for record in records if record.get("type", "message") in PLACING]
    known = [record for record in messages if record["id"] in held.places]
    if not any(record.get("type", "message") in PLACING or record["type"] == "summary" for record in new):
        return new
    _check_order(messages, held)
    last = max((held.places[record["id"]] for record in known), default=-1)
    named = {record["id"] for record in messages}
    others = {id: place for id, place in held.places.items() if id not in named and id in held.messages}
    if others and not known:
        raise OtherContent("another session of that id")
    if after := [id for id, place in others.items() if place > last]:
        raise OtherContent(f"its message {after[0]} is not in the file")
    _cover([record for record in new if record.get("type") == "summary"], others, view)
    return new


def _check_order(messages: Sequence[Json], held: _Held) -> None:
    begun = False
    for record in messages:
        begun = begun or record["id"] not in held.places
        if begun and record["id"] in held.places:
            raise OtherContent(f"its messages are in another order, from {record['id']} on")


def _cover(summaries: Sequence[Json], gone: Iterable[str], view: View) -> None:
    """Have new summaries cover the messages that are gone, each those of its period."""
    shown = (view.all[id] for id in gone if id in view.all and view.all[id].hidden is None)
    for message in shown if summaries else ():
        time = message.ts or ""
        of = next((one for one in summaries if time <= str(one.get("periodEnd", ""))), summaries[-1])
        of["covers"] = [*of["covers"], message.id]


class _Held:
    """What the lines of a session say, undone ones too."""

    def __init__(self, view: View) -> None:
        self.said: dict[str, Json] = {}  # by id
        self.places: dict[str, int] = {}
        self.messages: set[str] = set()
        self.settings: set[bytes] = set()  # each key with its value
        self.others: set[bytes] = set()  # lines without an id
        self.redacted: set[str] = set()
        for place, data in enumerate(record.data for record in view.log.records):
            id = data.get("id")
            if data["type"] == REDACTION:
                self.redacted.update(name.partition(" #")[0] for name in names_in(data))
            elif data["type"] == "meta":
                self.settings.update(_settings(data))
            elif isinstance(id, str) and data["type"] != "session":
                self.said.setdefault(id, data)
                self.places.setdefault(id, place)
                self.messages.update([id] if data["type"] in PLACING and place not in view.dead else [])
            else:
                self.others.add(_bytes(data))

    def has(self, record: Json) -> bool:
        """Whether a record is there; OtherContent where its id says something else."""
        id = record.get("id")
        if record.get("type") == "meta":
            return self.settings.issuperset(_settings(record))
        if not isinstance(id, str):
            return _bytes(record) in self.others
        if id not in self.said:
            return False
        if id not in self.redacted and _content(record) != _content(self.said[id]):
            raise OtherContent(f"{id} says something else")
        return True


def _settings(data: Json) -> Iterator[bytes]:
    return (dumps([key, value]) for key, value in data["set"].items())


def _bytes(data: Json) -> bytes:
    if data.get("type") == UNREAD:  # its place may be another
        return dumps(data.get("value"))
    return dumps(sorted(data.items()))


def _content(data: Json) -> object:
    """What a record says, its parts by their hashes."""
    parts = data.get("parts")
    if isinstance(parts, list):
        return [block_of(part) for part in parts]
    return data.get("blockIds") or data.get("summary")
