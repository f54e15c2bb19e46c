"""The fold: what a log means (records in byte order → view)."""

from __future__ import annotations

from .live import repeats, undone
from .model import Message, Part, Summary, unread
from .ops import Op, replacement
from .records import VERSION, Log, Record, block_of
from .rules import OF_BLOCKS, ROLE_OF_KIND, RULES, inserted_id
from .view import (
    Step,
    View,
    arrange,
    content_of,
    is_idless,
    join,
    kind_of,
    number_calls,
    replaced_parts,
    shown,
    summary_fields,
    timestamp,
)

__all__ = [
    "Step", "View", "arrange", "content_of", "fold", "is_idless", "join", "kind_of", "number_calls",
    "replaced_parts", "shown", "summary_fields", "timestamp",
]  # fmt: skip

_OF_A_COMMIT = {"type", "of", "ts", "parts", *OF_BLOCKS}  # and not of its message


def fold(log: Log) -> View:
    """The view of a log: which lines count, then place, content, hiding, parts and summaries."""
    notes: list[str] = []
    dead = undone(log.records, notes)
    view, again = _folded(log, dead, notes)
    copies = repeats(log.records, dead) if again else None
    return _folded(log, dead | copies, notes)[0] if copies else view


def _folded(log: Log, dead: set[int], notes: list[str]) -> tuple[View, bool]:
    """The view of the lines that are not dead, and whether an id was met twice."""
    view = View(log, dead, [*notes])
    folding = _Fold(view)
    read = folding.read
    all = view.all
    for place, record in enumerate(log.records):
        if dead and place in dead:
            continue
        data = record.data
        kind = data["type"]
        if kind == "message" and data["id"] not in all and data.get("kind") in ROLE_OF_KIND:
            all[data["id"]] = _plainly(place, record)  # most records
        elif kind in read:
            read[kind](place, record)
        else:
            folding.carry(record)
    folding.finish()
    read.clear()  # bound methods: a cycle that would keep every view of a long run
    return view, folding.again


def _plainly(place: int, record: Record) -> Message:
    """A message that nothing was said of before."""
    data = record.data
    kind, parts, ts = data["kind"], data["parts"], data.get("ts")
    ts = ts if type(ts) is str else timestamp(ts)
    return Message(data["id"], kind, ROLE_OF_KIND[kind], ts, data, place, record, parts, parts)


class _Fold:
    """One pass over the live records; `finish` applies what they say about each other."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.again = False  # whether an id was met twice
        self.carried: set[str] = set()  # ids of lines of unknown types
        self.updated: dict[str, Message] = {}  # update ids → message
        self.made = view.made
        self.pieces: dict[str, list[Part]] = {}  # deltas of a message not yet joined
        self.summaries: list[Summary] = []
        self.inserted: dict[str, list[Message]] = {}  # by what they follow, the first of them last
        self.hashes: dict[tuple[str, int], str] = {}  # of the parts that replacements name
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
        """Note something that `undo` can take back."""
        id = record.data["id"]
        self.again = self.again or id in self.made
        self.made[id] = Step(type, id, place, message)

    def carry(self, record: Record) -> None:
        """A line that is none of ours is passed on."""
        id = record.data.get("id")
        if type(id) is str:
            self.again = self.again or id in self.carried
            self.carried.add(id)
        self.view.carried.append(record)

    def owner(self, id: str) -> Message | None:
        """The message that a delta, commit, abort or update of this id is about."""
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
        if record.blocks is not None:  # they were fetched
            message.own, message.blocks = data["parts"], record.blocks
        else:
            message.own, message.blocks = None, data["blockIds"]
        message.parts = message.own if message.own is not None else unread(data)
        message.pending = message.update = None

    def place(self, place: int, record: Record) -> Message:
        """The message of this id, new at this place or the one that stands at its first."""
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
            self.again = True
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
        """Join the deltas read so far to the pending content; once a message, so it stays linear."""
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
        if done in self.made:
            self.made[done].place = place
        else:
            message.latest = place
        parts = content_of(data)
        message.parts = parts if parts is not None else message.pending
        message.own, message.blocks = message.parts, record.blocks
        if parts is not None and type(data.get("parts")) is not list:
            message.own, message.blocks = None, data["blockIds"]
        given = {key: data[key] for key in data.keys() - _OF_A_COMMIT}
        message.fields = {**message.fields, **given}
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
        self.placed(record, place)

    def placed(self, record: Record, place: int) -> None:
        """Take in a compaction's messages: right after their anchors, before what was inserted earlier."""
        fresh: dict[str, list[Message]] = {}
        for number, op in enumerate(record.data["ops"]):
            if op.get("op") == "insert" and type(op.get("message")) is dict:
                data = op["message"]
                kind = kind_of(data)
                parts = content_of(data)
                id = inserted_id(record.data, number)
                message = Message(id, kind, ROLE_OF_KIND[kind], timestamp(data.get("ts")), data, place)
                message.own = message.parts = parts or []
                message.after = str(op.get("after"))
                if message.id not in self.view.all:
                    self.view.all[message.id] = message
                    fresh.setdefault(message.after, []).append(message)
        for after, messages in fresh.items():
            self.inserted.setdefault(after, []).extend(reversed(messages))

    def clear(self, place: int, record: Record) -> None:
        self.barrier = place
        self.step("clear", record, place)

    def meta(self, place: int, record: Record) -> None:
        self.view.meta.update(record.data["set"])
        self.carry(record)

    def revert(self, place: int, record: Record) -> None:
        """Live reverts did their work before the fold."""

    # -- what they say about each other -------------------------------------------------------------

    def finish(self) -> None:
        view = self.view
        for id in list(self.pieces):
            self.join(view.all[id])
        if self.barrier >= 0:
            self.hide_cleared()
        for record in view.applied:
            self.apply(record, self.made[record.data["id"]].place)
        for summary in self.summaries:
            for id in summary.covers:
                self.hide(id, summary.id, summary.place)
        if not view.log.plain:
            number_calls(view)
        for message in view.all.values() if view.applied else ():
            if message.replaced and message.committed:
                message.parts = replaced_parts(message.parts, message.replaced)
                message.line = None
        view.messages = self.ordered()
        view.summaries, covered = arrange(self.summaries, view.all)
        view.hidden_summaries += covered

    def hide_cleared(self) -> None:
        view = self.view
        for message in view.all.values():
            if message.place < self.barrier:
                message.hidden = "clear"
        view.applied = [r for r in view.applied if self.made[r.data["id"]].place > self.barrier]
        view.hidden_summaries = [s for s in self.summaries if s.place < self.barrier]
        for summary in view.hidden_summaries:
            summary.cleared = True
        self.summaries = [s for s in self.summaries if s.place > self.barrier]

    def hide(self, id: str, by: str, place: int) -> None:
        message = self.view.all.get(id)
        if message is not None and message.place <= place and message.hidden is None:
            message.hidden = by

    def apply(self, record: Record, place: int) -> None:
        """Apply a compaction's drops, replacements and summaries."""
        by = record.data["id"]
        for number, op in enumerate(record.data["ops"]):
            what = op.get("op")
            if what in ("drop", "summarize"):
                for id in op.get("ids") or ():
                    self.hide(id, by, place)
            if what == "replace":
                self.replace(op)
            elif what == "summarize" and isinstance(op.get("summary"), str):
                fields = summary_fields(record.data, number, op)
                self.summaries.append(Summary(fields=fields, place=place, raw=None))

    def replace(self, op: Op) -> None:
        message = self.view.all.get(op.get("id", ""))
        part = op.get("part")
        if message is None or type(part) is not int or part < 0:
            return
        if message.blocks is not None:
            holds = part < len(message.blocks) and message.blocks[part] == op.get("block")
        else:
            own = message.own or []
            if part < len(own) and (message.id, part) not in self.hashes:
                self.hashes[message.id, part] = block_of(own[part])
            holds = part < len(own) and self.hashes[message.id, part] == op.get("block")
        if holds:
            message.replaced = message.replaced or {}
            message.replaced[part] = replacement(op)

    def ordered(self) -> list[Message]:
        """The visible messages: by place, inserted ones right after what they belong to."""
        if not self.inserted:
            return [m for m in self.view.all.values() if m.hidden is None and (not m.replaced or shown(m))]
        unseen = {message.id: message for group in self.inserted.values() for message in group}
        visible: list[Message] = []
        for root in self.view.all.values():
            if root.after is not None:
                continue
            stack = [root]
            while stack:
                message = stack.pop()
                unseen.pop(message.id, None)
                children = self.inserted.get(message.id, ())
                if message.hidden is None and shown(message):
                    visible.append(message)
                else:
                    for child in children:
                        child.hidden = child.hidden or message.hidden or message.id
                stack += children
        for message in unseen.values():  # what they were to follow is not there
            message.hidden = message.hidden or message.after
        return visible
