"""The fold: compute the view from records in byte order."""

from __future__ import annotations

from .live import repeated_lines, undone
from .model import Message, Part, Summary, unread
from .ops import Effects
from .records import VERSION, Log, Record
from .rules import BLOCK_FIELDS, ROLE_OF_KIND, RULES
from .view import Step, View, arrange, content_of, join, kind_of, number_calls, timestamp

# Fields of a commit that are not copied to its message.
_OF_A_COMMIT = {"type", "of", "ts", "parts", *BLOCK_FIELDS}


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
