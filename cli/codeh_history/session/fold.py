"""The fold: compute the view from records in byte order.

A log made by joining two copies of a session (`cat`, a merge) has their common lines twice. A line with an
id of its own is a copy if it repeats an earlier line. Deltas, commits and aborts have no id: after the copy
of a line that adds their message, they are copies as long as they repeat earlier lines.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import orjson

from .model import (
    BLOCK_FIELDS,
    ROLE_OF_KIND,
    RULES,
    STREAMING,
    Json,
    Message,
    Part,
    Summary,
    added_ids,
    own_id,
    unread,
)
from .ops import Effects
from .records import VERSION, Log, Record, block_of
from .view import Step, View, arrange, content_of, join, kind_of, number_calls, timestamp

# Fields of a commit that are not copied to its message.
_OF_A_COMMIT = {"type", "of", "ts", "parts", *BLOCK_FIELDS}
_STORAGE = frozenset(("flowId", "parts", *BLOCK_FIELDS))  # fields with a record's parts or their place


def fold(log: Log) -> View:
    """Fold a log into its view: undo, then place, content, hiding, parts and summaries."""
    notes: list[str] = []
    dead = undone(log.records, notes)
    view, repeated = _folded(log, dead, notes)
    copies = repeated_lines(log.records, dead) if repeated else None
    return _folded(log, dead | copies, notes)[0] if copies else view


def _folded(log: Log, dead: set[int], notes: list[str]) -> tuple[View, bool]:
    """Fold the records that are not dead; return the view and whether an id occurred twice."""
    view = View(log, dead, [*notes])
    folding = Fold(view)
    read = folding.read
    all = view.all
    for place, record in enumerate(log.records):
        if dead and place in dead:
            continue
        data = record.data
        type = data["type"]
        if type == "message" and (id := data["id"]) not in all and data.get("kind") in ROLE_OF_KIND:
            all[id] = message_of(place, record)  # most records
        elif type in read:
            read[type](place, record)
        else:
            folding.carry(place, record)
    folding.finish()
    read.clear()  # a cycle of bound methods would keep every view in memory
    return view, folding.repeated


def message_of(place: int, record: Record) -> Message:
    """Return the message for a record whose id is new."""
    data = record.data
    kind, parts, ts = data["kind"], data["parts"], data.get("ts")
    ts = ts if type(ts) is str else timestamp(ts)
    return Message(data["id"], kind, ROLE_OF_KIND[kind], ts, data, place, record, parts, parts)


class Fold:
    """One pass over the live records; `finish` applies their effects on other records.

    `read` maps each type to the method of its name.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.repeated = False  # whether an id occurred twice
        self.carried: set[str] = set()  # ids of records of unknown types
        self.updated: dict[str, Message] = {}  # update ids → message
        self.changes = view.changes
        self.pieces: dict[str, list[Part]] = {}  # deltas of a message, not yet joined
        self.summaries: list[Summary] = []
        self.effects = Effects(view.all)
        self.barrier = -1
        self.read = {type: getattr(self, type) for type in RULES}

    # -- one record each ----------------------------------------------------------------------------

    def session(self, place: int, record: Record) -> None:
        if self.view.header is None:
            self.view.header, self.view.header_raw = record.data, record.raw
            self.view.id = str(record.data.get("id", ""))
            version = record.data.get("version")
            if type(version) is int and version > VERSION:
                self.view.notes.append(
                    f"version {version}: read as far as version {VERSION} goes, never written"
                )

    def step(self, type: str, record: Record, place: int, message: Message | None = None) -> None:
        """Add a step that `undo` can revert."""
        id = record.data["id"]
        self.repeated = self.repeated or id in self.changes
        self.changes[id] = Step(type, id, place, message)

    def carry(self, place: int, record: Record) -> None:
        """Keep a record of an unknown type."""
        id = record.data.get("id")
        if type(id) is str:
            self.repeated = self.repeated or id in self.carried
            self.carried.add(id)
        self.view.carried.append(record)

    def owner(self, id: str) -> Message | None:
        """Return the message that a delta, commit, abort or update refers to, or None."""
        return self.view.all.get(id) or self.updated.get(id)

    def message(self, place: int, record: Record) -> None:
        message = self.place(place, record)
        message.own = message.parts = record.data["parts"]
        message.blocks = message.pending = message.update = None

    def open(self, place: int, record: Record) -> None:
        message = self.place(place, record)
        message.line = None
        message.pending, message.update = [], None

    def ref(self, place: int, record: Record) -> None:
        data = record.data
        message = self.place(place, record)
        if record.blocks is not None:  # the parts were fetched
            message.own, message.blocks = data["parts"], record.blocks
        else:
            message.own, message.blocks = None, data["blockIds"]
        message.parts = message.own if message.own is not None else unread(data)
        message.pending = message.update = None

    def place(self, place: int, record: Record) -> Message:
        """Return the message with this id: a new one, or the existing one at its first position."""
        data = record.data
        kind = data.get("kind")
        if kind not in ROLE_OF_KIND:
            kind = kind_of(data)
        role = ROLE_OF_KIND[kind]
        id = data["id"]
        all = self.view.all
        if id not in all:
            ts = data.get("ts")
            message = Message(id, kind, role, ts if type(ts) is str else timestamp(ts), data, place, record)
            all[id] = message
        else:
            self.repeated = True
            self.pieces.pop(id, None)  # discards earlier deltas
            message = all[id]
            message.kind, message.role, message.line = kind, role, None
            message.fields = {**data, "ts": message.ts}
            message.latest = place
        return message

    def delta(self, place: int, record: Record) -> None:
        message = self.owner(record.data["of"])
        if message is not None and message.pending is not None:
            self.pieces.setdefault(message.id, []).extend(content_of(record.data) or ())

    def join(self, message: Message) -> None:
        """Append the deltas so far to the pending content; once per message, to keep the time linear."""
        pieces = self.pieces.pop(message.id, None)
        if pieces and message.pending is not None:
            message.pending = join(message.pending, pieces)

    def commit(self, place: int, record: Record) -> None:
        data = record.data
        message = self.owner(data["of"])
        if message is None or message.pending is None:
            return
        self.join(message)
        done = message.update["id"] if message.committed and message.update else data["of"]
        if done in self.changes:
            self.changes[done].place = place
        else:
            message.latest = place
        parts = content_of(data)
        message.parts = parts if parts is not None else message.pending
        message.own, message.blocks = message.parts, record.blocks
        if parts is not None and type(data.get("parts")) is not list:
            message.own, message.blocks = None, data["blockIds"]
        fields = {key: value for key, value in data.items() if key not in _OF_A_COMMIT}
        message.fields = {**message.fields, **fields}
        message.fields.pop("aborted", None)
        message.pending, message.update, message.line = None, None, None

    def abort(self, place: int, record: Record) -> None:
        message = self.owner(record.data["of"])
        if message is not None and message.pending is not None:
            message.fields = {**message.fields, "aborted": record.data.get("reason", "")}

    def update(self, place: int, record: Record) -> None:
        data = record.data
        message = self.owner(data["of"])
        if message is None:
            return
        self.pieces.pop(message.id, None)
        message.pending = content_of(data) or []
        message.update = data
        self.updated[data["id"]] = message
        self.step("update", record, place, message)

    def summary(self, place: int, record: Record) -> None:
        self.summaries.append(Summary(fields=record.data, place=place, raw=record.raw))
        self.step("summary", record, place)

    def compaction(self, place: int, record: Record) -> None:
        self.view.applied.append(record)
        self.step("compaction", record, place)
        self.effects.insert(record.data, place)

    def clear(self, place: int, record: Record) -> None:
        self.barrier = place
        self.step("clear", record, place)

    def meta(self, place: int, record: Record) -> None:
        self.view.meta.update(record.data["set"])
        self.carry(place, record)

    def usage(self, place: int, record: Record) -> None:
        """A sub-agent's token usage does not change the view."""
        self.carry(place, record)

    def revert(self, place: int, record: Record) -> None:
        """Live reverts took effect before the fold."""

    # -- effects on other records -------------------------------------------------------------------

    def finish(self) -> None:
        view = self.view
        for id in list(self.pieces):
            self.join(view.all[id])
        if self.barrier >= 0:
            for message in view.all.values():
                if message.place < self.barrier:
                    message.hidden = "clear"
            view.applied = [r for r in view.applied if self.changes[r.data["id"]].place > self.barrier]
            view.hidden_summaries = [s for s in self.summaries if s.place < self.barrier]
            for summary in view.hidden_summaries:
                summary.cleared = True
            self.summaries = [s for s in self.summaries if s.place > self.barrier]
        number_calls(view.all.values())
        for record in view.applied:
            self.effects.apply(record.data, self.changes[record.data["id"]].place)
        self.summaries += self.effects.summaries
        for summary in self.summaries:
            for id in summary.covers:
                self.effects.hide(id, summary.id, summary.place)
        touched = view.applied or self.summaries or self.barrier >= 0
        view.messages = self.effects.ordered(view.all.values()) if touched else [*view.all.values()]
        view.summaries, covered = arrange(self.summaries, view.all)
        view.hidden_summaries += covered


# -- undone and repeated lines, which do not count ---------------------------------------------------------


def undone(records: list[Record], notes: list[str]) -> set[int]:
    """Return the positions of undone records; later reverts are applied first.

    A revert undoes every earlier line with the id in `of`. A repeated revert is part of a copy: it undoes
    the nearest lines, as many as the first one undoes.
    """
    if not [True for record in records if record.data["type"] == "revert"]:
        return set()
    ids = [own_id(record.data) for record in records]
    before: defaultdict[str | None, int] = defaultdict(int)  # lines with each id
    reach: dict[bytes, int] = {}  # number of lines that a revert undoes
    for id, record in zip(ids, records, strict=True):
        if record.data["type"] == "revert":
            reach.setdefault(content(record), before[record.data["of"]])
        before[id] += 1
    dead: set[int] = set()
    last: dict[str | None, int] = {None: len(records)}  # by id: the first of its lines that are undone
    for place in range(len(records) - 1, -1, -1):
        id, record = ids[place], records[place]
        before[id] -= 1
        if id in last and before[id] >= last[id]:
            dead.add(place)
        elif record.data["type"] == "revert":
            of = record.data["of"]
            first = before[of] - reach[content(record)]
            last[of] = min(first, last.get(of, first))
            if not before[of]:
                notes.append(f"revert {id} names nothing earlier: {of}")
    return dead


def repeated_lines(records: list[Record], dead: set[int]) -> set[int]:
    """Return the positions of lines that repeat an earlier live line."""
    counts = Counter(id for record in records for id in added_ids(record.data))
    often = {id for id, count in counts.items() if count > 1}
    repeated: set[int] = set()
    live: set[bytes] = set()  # content of live lines that add such an id
    streamed: Counter[tuple[str, bytes]] = Counter()  # lines streamed into each id, by content
    copies: dict[str, Counter[bytes]] = {}  # by id, the lines that the current copy has repeated
    for place, record in enumerate(records):
        data = record.data
        streams, alive = data["type"] in STREAMING, place not in dead
        ids = often.intersection([data["of"]] if streams else added_ids(data) if alive else [own_id(data)])
        if not ids or record.bare is not None:
            continue
        text = content(record)
        if streams:
            (id,) = ids
            if id in copies and copies[id][text] < streamed[id, text]:
                copies[id][text] += 1
                repeated.add(place)
            else:
                copies.pop(id, None)  # new content ends the copy
                streamed[id, text] += 1
        elif alive and text not in live:
            live.add(text)
            for id in ids:
                copies.pop(id, None)
        else:
            copies |= {id: Counter() for id in ids}
            repeated.update([place] if alive else [])
    return repeated


def content(record: Record) -> bytes:
    """Return a line's content, independent of its spelling and of where its parts are stored."""
    data = record.data
    if data["type"] == "compaction":
        result = {**_content(data), "ops": [_op_content(op) for op in data["ops"]]}
    else:
        result = _content(data, record.blocks)
    return orjson.dumps(result, option=orjson.OPT_SORT_KEYS)


def _content(data: Json, blocks: list[str] | None = None) -> Json:
    """Return a record or an inserted message with block ids instead of parts."""
    result = {key: value for key, value in data.items() if key not in _STORAGE}
    parts = data.get("parts")
    if blocks is None:
        blocks = [block_of(part) for part in parts] if type(parts) is list else data.get("blockIds")
    if blocks is not None:
        result["blockIds"] = blocks
    if data.get("type") in (None, "message", "ref"):
        result |= {"type": "message", "kind": kind_of(data)}
    return result


def _op_content(op: Json) -> Json:
    if op.get("op") == "insert" and isinstance(op.get("message"), dict):
        return {**op, "message": _content(op["message"])}
    part: Part | None = op.get("with")
    if op.get("op") != "replace" or not isinstance(part, dict):
        return op
    return {**{key: op[key] for key in op if key != "with"}, "blockId": block_of(part)}


def streamed(records: list[Record]) -> int:
    """Return the size of the lines that streamed content before its commit, which depends on timing.

    These lines open a message, add to it, or replace its pending content.
    """
    pending: set[str] = set()
    size = 0
    for record in records:
        type, of = record.data["type"], record.data.get("of")
        if type == "commit":
            pending.discard(str(of))
        elif type in ("open", "delta") or (type == "update" and of in pending):
            size += len(record.raw) + 1
            pending.update([record.data["id"]] if type == "open" else [])
    return size
