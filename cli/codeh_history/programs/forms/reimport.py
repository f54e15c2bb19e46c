"""Find the records of a file that the session imported from it lacks."""

from __future__ import annotations

from collections.abc import Sequence

from ...session.model import PLACING, Json
from ...session.records import block_of, dumps
from ...session.redactions import REDACTION, names_in
from ...session.view import View
from .elements import UNREAD


class ContentConflict(Exception):
    """The session and the file have diverged, so nothing can be appended."""


def missing(records: Sequence[Json], view: View) -> list[Json]:
    """Return the records that a session lacks; raise ContentConflict if the records do not continue it.

    Messages undone, edited or redacted in the session stay so. The oldest messages may be missing from the
    file; its new summaries then cover them.
    """
    log = [(place, record.data) for place, record in enumerate(view.log.records)]
    redactions = (data for _, data in log if data["type"] == REDACTION)
    redacted = {name.partition(" #")[0] for data in redactions for name in names_in(data)}
    live = [data["id"] for place, data in log if data["type"] in PLACING and place not in view.dead]
    stored: dict[str, Json] = {}  # all records by key, in order, undone ones included
    for _, data in log:
        for key in _keys(data) if data["type"] not in (REDACTION, "session") else ():
            stored.setdefault(key, data)
    new = [record for record in records if not stored.keys() >= _keys(record)]
    for record in records:
        for id in _keys(record) & stored.keys() - redacted:
            if _content(record) != _content(stored[id]):
                raise ContentConflict(f"the content of {id} differs")
    messages = [record["id"] for record in records if record.get("type", "message") in PLACING]
    summaries = [record for record in new if record.get("type") == "summary"]
    if not summaries and not any(record.get("type", "message") in PLACING for record in new):
        return new
    places = {id: place for place, id in enumerate(stored)}
    stored_ids = [id for id in messages if id in stored]
    if stored_ids != messages[: len(stored_ids)]:
        raise ContentConflict("its messages are in a different order")
    absent = [id for id in dict.fromkeys(live) if id not in set(messages)]
    if absent and not stored_ids:
        raise ContentConflict("another session of that id")
    last = max((places[id] for id in stored_ids), default=-1)
    if after := [id for id in absent if places[id] > last]:
        raise ContentConflict(f"its message {after[0]} is not in the file")
    for message in (view.all[id] for id in absent if summaries and id in view.all):
        if message.hidden is None:  # the summary of its period covers it
            later = (other for other in summaries if (message.ts or "") <= str(other.get("periodEnd", "")))
            summary = next(later, summaries[-1])
            summary["covers"] = [*summary["covers"], message.id]
    return new


def _keys(data: Json) -> set[str]:
    """The keys that identify a record: its id, else its content, or each of its settings."""
    if data.get("type") == "meta":
        return {dumps(setting).decode() for setting in data["set"].items()}
    if isinstance(data.get("id"), str):
        return {data["id"]}
    return {dumps(data.get("value") if data.get("type") == UNREAD else sorted(data.items())).decode()}


def _content(data: Json) -> object:
    """A record's content, with parts replaced by their hashes."""
    parts = data.get("parts")
    if isinstance(parts, list):
        return [block_of(part) for part in parts]
    return data.get("blockIds") or data.get("summary")
