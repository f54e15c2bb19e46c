"""Turn a program's session into the records of a copy: of a new one, or those that bring one up to date.

Messages are matched by id, and their parts by the source lines in the record's `imported`. Content is
compared with what the last import stored. Messages undone, edited or redacted in the copy stay so, and an
import reverts only records made by an earlier one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

from ..base.errors import BadData
from ..base.times import from_millis
from ..providers.json_text import loads
from ..session.model import MARK, PLACING, ROLE_OF_KIND, SUMMARY_HEAD, Json, Message, Part
from ..session.records import block_of, check_message, dumps, nests_deeper
from ..session.redactions import REDACTION, names_in
from ..session.view import View
from .fields import hash_id, list_at, omit_empty
from .model import AgentUsage, Entry, Item, Session, Summary, copy_id

_LATE_FIELDS = ("usage", "finish", "response")  # known only once a message is complete
_UNNAMED = " +"  # marks the name of a line without an id
_CONTENT_FIELDS = ("parts", "blockIds", "flowId", "summary")
_REDACTED: Json = {"parts": [{"text": "[redacted]"}], "summary": "[redacted]"}  # if no copy has the content


def lines(records: Iterable[Json], where: str) -> bytes:
    """Serialise records as lines; raise BadData for a record that could not be read back."""
    result = []
    for record in records:
        reason = check_message(record) if record["type"] == "message" else None
        if reason := reason or ("nested deeper than 200 levels" if nests_deeper(record) else None):
            raise BadData(f"{where}: {record.get('id')}: {reason}")
        result.append(dumps(record) + b"\n")
    return b"".join(result)


def session_id(session: Session) -> str:
    return copy_id(session.program, session.id)


def header(session: Session, id: str, path: str, parent: Json | None = None) -> Json:
    """The header of a copy, with the source's time and directory."""
    first = session.created or next((item.ts for item in session.items if item.ts), from_millis(0))
    return {
        "type": "session", "version": 1, "id": id, "created": first,
        **omit_empty(cwd=session.cwd, parent=parent or session.parent),
        MARK: {
            "from": session.program, "id": session.id, "path": path,
            **omit_empty(version=session.version, agent=session.agent, agentName=session.agent_name),
        },
    }  # fmt: skip


def records(session: Session) -> Iterator[Json]:
    """Yield the records of a copy that follow its header."""
    if session.settings:
        yield settings(session, session.settings)
    yield from (record(session, item) for item in session.items)
    yield from map(usage_record, session.unsent_usage())


def usage_record(item: AgentUsage) -> Json:
    """The record of a sub-agent's usage; its id depends on the total, so a new total is a new record."""
    id = hash_id("usage", item.id, dumps(item.fields["usage"]))
    return {"type": "usage", "id": id, **omit_empty(ts=item.ts), "of": item.id, **item.fields, MARK: []}


def settings(session: Session, values: Json) -> Json:
    """The record that sets these values."""
    return {"type": "meta", **omit_empty(ts=session.last), "set": values, MARK: []}


def revert(session: Session, id: str, of: str) -> Json:
    """The record that reverts an imported one."""
    return {"type": "revert", "id": id, "of": of, **omit_empty(ts=session.last), MARK: []}


def record(session: Session, item: Item) -> Json:
    """The record of a message or a summary.

    A summary's period and number of exchanges come from the items that it covers. The heading that our
    writers add to a summary is removed.
    """
    if isinstance(item, Entry):
        return {
            "type": "message", "id": item.id, **omit_empty(ts=item.ts), "kind": item.kind,
            **omit_empty(role=ROLE_OF_KIND[item.kind]), "parts": item.parts, **item.fields,
            MARK: item.lines,
        }  # fmt: skip
    covers = {*item.covers}
    covered = [other for other in session.items if other.id in covers]
    times = [other.ts for other in covered if other.ts] or [""]
    return {
        "type": "summary", "id": item.id,
        **omit_empty(createdAt=item.ts, periodStart=times[0], periodEnd=times[-1]),
        "summary": item.text.removeprefix(f"{SUMMARY_HEAD}\n\n"),
        "conversationCount": sum(isinstance(other, Entry) and other.kind == "user" for other in covered),
        "covers": item.covers, "by": session.program, MARK: [item.line],
    }  # fmt: skip


# -- updating a copy -------------------------------------------------------------------------------------


class Changes(NamedTuple):
    """The `records` to append; `conflict`: why they must not be, if copy and source have diverged."""

    records: list[Json]
    conflict: str | None = None


def changes(session: Session, view: View) -> Changes:
    """Compute the records to append to the copy of a session; its view's parts must be loaded."""
    return _Comparison(session, view).changes()


def for_new_copy(session: Session, view: View) -> Iterator[Json]:
    """Yield the records of a new copy, redacted like those of the previous copy, `view`."""
    return map(_Comparison(session, view).as_redacted, records(session))


class _Comparison:
    def __init__(self, session: Session, view: View) -> None:
        self.session = session
        self.view = view
        self.new: list[Json] = []  # to append
        self.used_ids: set[str] = set()  # all ids in use
        self.places: dict[str, int] = {}  # by id: first record of a message or summary, dead ones included
        self.reverts = defaultdict[str, list[Json]](list)  # the live reverts of an id
        self.settings: Json = {}  # as last imported
        # by id of an imported item: the record with its content, and how many pieces it had
        self.imported: dict[str, tuple[Json, int]] = {}
        self.redacted: set[str] = set()  # names of redacted records, and ids of their messages
        self.redacted_settings: Json = {}  # redacted settings, each with its record's time
        self.updates: dict[str, Json] = {}
        for place, record in enumerate(view.log.records):
            self.index(place, record.data, dead=place in view.dead)
        self.keep_ids()

    def index(self, place: int, data: Json, *, dead: bool) -> None:
        """Add a record of the copy to the indexes."""
        kind, pieces, time = data["type"], len(list_at(data, MARK)), data.get("ts", "")
        self.used_ids |= {data["id"]} if "id" in data else set()
        if kind in PLACING or kind == "summary":
            self.places.setdefault(data["id"], place)
            if MARK in data:
                self.imported[data["id"]] = data, pieces
        elif kind == "revert" and not dead:
            self.reverts[data["of"]].append(data)
        elif kind == "meta" and MARK in data:
            self.settings |= data["set"]
            if (f"meta {time}" if time else _UNNAMED) in self.redacted:
                self.redacted_settings |= dict.fromkeys(data["set"], time)
        elif kind == "update":
            self.updates[data["id"]] = data
            self.redacted |= {data["of"]} if data["id"] in self.redacted else set()
        elif kind == "commit" and MARK in data and data["of"] in self.updates:
            update = self.updates[data["of"]]
            self.imported[update["of"]] = update, pieces
        elif kind == REDACTION:
            names = names_in(data)
            self.redacted |= {_UNNAMED if _UNNAMED in name else name.partition(" #")[0] for name in names}

    def keep_ids(self) -> None:
        """Use the ids of an older copy, where a Gemini CLI message that changed got an id of its own."""
        kept: dict[str, str] = {}
        for item in self.session.items:
            if isinstance(item, Summary):
                item.covers = [kept.get(id, id) for id in item.covers]
            elif item.id not in self.places:
                old = hash_id(item.id, dumps(item.parts))
                kept |= {item.id: old} if old in self.imported else {}
                item.id = kept.get(item.id, item.id)

    def changes(self) -> Changes:
        """Revert the items that the source no longer has, then append those that are new."""
        session = self.session
        removed = self.imported.keys() - {item.id for item in session.items} if not session.partial else ()
        if removed and removed == self.imported.keys() and session.id_repeats:
            return Changes([], "another conversation of that id")
        for id in sorted(removed, key=self.places.__getitem__, reverse=True):
            if not self.reverts[id]:
                self.revert(id)
        added = (m for m in self.view.messages if m.role and m.after is None and m.id not in self.imported)
        continued = next(added, None)  # the first message added in the copy
        conflict = self.items(continued)
        used = map(usage_record, session.unsent_usage())
        self.new += [record for record in used if record["id"] not in self.used_ids]
        changed = {
            key: value for key, value in session.settings.items()
            if self.settings.get(key) != value and key not in self.redacted_settings
        }  # fmt: skip
        self.new += [settings(session, changed)] if changed else []
        if continued is not None and self.new:
            conflict = f"it was continued here ({continued.id})"
        return Changes(self.new, conflict)

    def items(self, continued: Message | None) -> str | None:
        """Add or update each item; return why appending is not enough, or None.

        Changed wording is not taken over once the copy was `continued`.
        """
        broken = {problem.line for problem in self.session.problems}
        exact = continued is None and not self.session.partial and 0 not in broken
        last, new = -1, False
        for item in self.session.items:
            place = self.places.get(item.id)
            if place is None:
                new = new or isinstance(item, Entry)
                self.new.append(record(self.session, item))
                continue
            if isinstance(item, Entry):
                if new or place < last:
                    return f"its messages are now in a different order, from {item.id} on"
                last = place
            undone = self.reverts[item.id]
            for revert in undone if all(MARK in revert for revert in undone) else ():
                self.revert(revert["id"])
            if isinstance(item, Entry) and not undone:
                is_exact = exact and broken.isdisjoint(item.lines)
                self.compare(item, exact=is_exact, grows=continued is None)
        return None

    def compare(self, item: Entry, *, exact: bool, grows: bool) -> None:
        """Update a live imported message that got more pieces or, if `exact`, other content.

        `grows`: parts that are added at its end are taken over although it is not exact.
        """
        message = self.view.all.get(item.id)
        if message is None or MARK not in message.fields:
            return
        imported, old_count = self.imported.get(item.id, ({}, 0))
        current, new, changed = message.own or (), item.pieces[old_count:], False
        parts = [*current, *(part for piece in new for part in piece.parts)]
        late = {key: item.fields[key] for key in _LATE_FIELDS if key in item.fields}
        exact = exact or (
            grows and len(item.parts) > len(current) and item.parts[: len(current)] == [*current]
        )
        exact = exact and len(item.pieces) >= old_count and item.id not in self.redacted
        if exact and _same(current, imported):
            parts = item.parts
            changed = not late.keys() <= message.fields.keys() or not _same(parts, imported)
        if new or changed:
            names, program = ("update", item.id), (self.session.program, self.session.id)
            grown = hash_id(*program, *names, len(item.pieces))
            id = grown if new else self.new_id(*names, dumps(parts))
            time = omit_empty(ts=item.ts)
            self.new.append({"type": "update", "id": id, "of": item.id, **time, "parts": parts})
            self.new.append({"type": "commit", "of": id, **time, **late, MARK: item.lines})

    def as_redacted(self, record: Json) -> Json:
        """Put the copy's content into the source's record if the copy's was redacted."""
        if record["type"] == "meta" and (both := self.redacted_settings.keys() & record["set"].keys()):
            values = {key: self.settings[key] for key in both}
            time = omit_empty(ts=max(self.redacted_settings[key] for key in both))
            return {**record, **time, "set": {**record["set"], **values}}
        id = record.get("id")
        if id not in self.redacted:
            return record
        imported, _ = self.imported.get(id, (_REDACTED, 0))
        content = {key: imported[key] for key in _CONTENT_FIELDS if key in imported}
        if "parts" in imported or "summary" in imported:
            return {**record, **content}
        return {**{key: value for key, value in record.items() if key != "parts"}, **content, "type": "ref"}

    def revert(self, of: str) -> None:
        self.new.append(revert(self.session, self.new_id("revert", of), of))

    def new_id(self, *of: object) -> str:
        """An unused id that depends only on these values."""
        numbered = (hash_id(self.session.program, self.session.id, *of, number) for number in count(1))
        id = next(id for id in numbered if id not in self.used_ids)
        self.used_ids.add(id)
        return id


def _same(parts: Sequence[Part], record: Json) -> bool:
    """Whether a stored record has these parts."""
    if record.get("parts") == parts:
        return True
    stored = loads(dumps(parts))
    if "parts" in record:
        return bool(stored == record["parts"])
    return [*map(block_of, stored)] == record.get("blockIds")
