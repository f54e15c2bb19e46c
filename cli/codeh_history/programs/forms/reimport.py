"""Find what a session lacks of a file that was imported into it before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...session.fold import View
from ...session.model import Json
from ...session.records import block_of, dumps
from ...session.redactions import REDACTION, names_in
from ...session.rules import PLACING
from .history import UNREAD


class ContentConflict(Exception):
    """The session differs from the file that was imported, so nothing can be appended."""


def missing(records: Sequence[Json], view: View) -> list[Json]:
    """Return the records that a session lacks; raise ContentConflict if its content is not their beginning.

    What was undone, edited or redacted in the session stays that way. The oldest messages may be gone
    from the file; its new summaries then cover them.
    """
    stored: dict[str, Json] = {}  # records with an id, in order, undone ones too
    live: list[str] = []  # ids of messages
    others: set[bytes] = set()  # settings, and lines without an id
    redacted: set[str] = set()
    for place, data in enumerate(record.data for record in view.log.records):
        if data["type"] == REDACTION:
            redacted.update(name.partition(" #")[0] for name in names_in(data))
        elif data["type"] == "meta" or not isinstance(data.get("id"), str):
            others.update(_keys(data))
        elif data["type"] != "session" and data["id"] not in stored:
            stored[data["id"]] = data
            live += [data["id"]] if data["type"] in PLACING and place not in view.dead else []

    def is_new(record: Json) -> bool:
        id = record.get("id")
        if record.get("type") == "meta" or not isinstance(id, str):
            return not others.issuperset(_keys(record))
        if id in stored and id not in redacted and _content(record) != _content(stored[id]):
            raise ContentConflict(f"{id} says something else")
        return id not in stored

    new = [record for record in records if is_new(record)]
    messages = [record["id"] for record in records if record.get("type", "message") in PLACING]
    summaries = [record for record in new if record.get("type") == "summary"]
    if not summaries and not any(record.get("type", "message") in PLACING for record in new):
        return new
    stored_ids = [id for id in messages if id in stored]
    if stored_ids != messages[: len(stored_ids)]:
        raise ContentConflict("its messages are in another order")
    gone = [id for id in live if id not in set(messages)]
    if gone and not stored_ids:
        raise ContentConflict("another session of that id")
    places = {id: place for place, id in enumerate(stored)}
    last = max((places[id] for id in stored_ids), default=-1)
    if after := [id for id in gone if places[id] > last]:
        raise ContentConflict(f"its message {after[0]} is not in the file")
    for message in (view.all[id] for id in gone if summaries and id in view.all):
        if message.hidden is None:  # each summary covers its period
            time = message.ts or ""
            later = (other for other in summaries if time <= str(other.get("periodEnd", "")))
            summary = next(later, summaries[-1])
            summary["covers"] = [*summary["covers"], message.id]
    return new


def _keys(data: Json) -> Iterator[bytes]:
    """Keys for a record without an id: each of its settings, or its value."""
    if data.get("type") == "meta":
        return (dumps([key, value]) for key, value in data["set"].items())
    return iter([dumps(data.get("value") if data.get("type") == UNREAD else sorted(data.items()))])


def _content(data: Json) -> object:
    """A record's content, with parts as hashes."""
    parts = data.get("parts")
    if isinstance(parts, list):
        return [block_of(part) for part in parts]
    return data.get("blockIds") or data.get("summary")
