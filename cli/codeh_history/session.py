"""The fold: what a log means (records in byte order → view)."""

from __future__ import annotations

from collections.abc import Iterable

from .model import ROLE_OF_KIND, Json, Message, Part, Summary, Unread, unread
from .ops import Op, replacement
from .records import Log, Record, block_of

_OF_A_COMMIT = {"type", "of", "ts", "parts", "blockIds", "lineId", "idless"}
UNDOABLE = ("message", "update", "summary", "compaction", "clear")


class Step:
    """Something `undo` can take back: its type, its id, and where it happened last."""

    __slots__ = ("id", "message", "place", "type")

    def __init__(self, type: str, id: str, place: int, message: Message | None = None) -> None:
        self.type = type
        self.id = id
        self.place = place
        self.message = message


class View:
    """What a model would see now, and what lies behind it.

    `messages` and `summaries` are visible, in view order; `all` holds every live message by id, hidden
    ones too; `carried` are the meta and unknown lines in file order; `steps` what undo can take back.
    """

    __slots__ = (
        "all", "applied", "carried", "header", "header_raw", "hidden_summaries", "id", "log", "messages",
        "meta", "notes", "steps", "summaries",
    )  # fmt: skip

    def __init__(self, log: Log) -> None:
        self.log = log
        self.id = ""
        self.header: Json | None = None
        self.header_raw: bytes | None = None
        self.meta: Json = {}
        self.carried: list[Record] = []
        self.messages: list[Message] = []
        self.summaries: list[Summary] = []
        self.hidden_summaries: list[Summary] = []
        self.all: dict[str, Message] = {}
        self.applied: list[Record] = []  # live compactions that no clear hides
        self.steps: list[Step] = []
        self.notes: list[str] = []

    def with_messages(self, messages: list[Message], summaries: list[Summary] | None = None) -> View:
        """The same view showing other messages (a copy)."""
        copy = View(self.log)
        for name in self.__slots__:
            setattr(copy, name, getattr(self, name))
        copy.messages = messages
        if summaries is not None:
            copy.summaries = summaries
        return copy


def fold(log: Log) -> View:
    """The view of a log: undo first, then place, content, hiding, replaced parts and summaries."""
    view = View(log)
    folding = _Fold(view)
    dead = _undone(log.records, view.notes)
    read = folding.read
    for place, record in enumerate(log.records):
        if place not in dead:
            handler = read.get(record.data["type"])
            if handler is None:
                view.carried.append(record)
            else:
                handler(place, record)
    folding.finish()
    return view


def _undone(records: list[Record], notes: list[str]) -> set[int]:
    """Places of the records that are as if never written; later reverts decide first."""
    reverts = [place for place, record in enumerate(records) if record.data["type"] == "revert"]
    if not reverts:
        return set()
    named: dict[str, list[int]] = {}
    for place, record in enumerate(records):
        id = record.data.get("id")
        if type(id) is str and record.data["type"] != "session":
            named.setdefault(id, []).append(place)
    dead: set[int] = set()
    for place in reversed(reverts):
        if place in dead:
            continue
        target = records[place].data["of"]
        earlier = [other for other in named.get(target, ()) if other < place]
        if not earlier:
            notes.append(f"revert {records[place].data['id']} names nothing earlier: {target}")
        dead.update(earlier)
    return dead


def kind_of(data: Json) -> str:
    """A message's kind: as recorded, else from its role and parts."""
    kind = data.get("kind")
    if kind in ROLE_OF_KIND:
        return str(kind)
    if data.get("role") == "model":
        return "codeh"
    return "tool" if any("functionResponse" in part for part in data.get("parts") or ()) else "user"


def content_of(data: Json) -> list[Part] | None:
    """A record's parts, unread ones where it names their blocks; None where it has no content."""
    parts = data.get("parts")
    if type(parts) is list:
        return parts
    return unread(data) if type(data.get("blockIds")) is list else None


def timestamp(value: object) -> str | None:
    """A time as stored: RFC 3339 text as it is, epoch milliseconds as that text."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        from .times import FIRST, LAST, from_millis

        return from_millis(int(value)) if FIRST <= value <= LAST else None
    return value if isinstance(value, str) else None


def join(pending: list[Part], parts: Iterable[Part]) -> list[Part]:
    """Pending content plus a delta: neighbouring plain texts of equal thought become one."""
    joined = list(pending)
    for part in parts:
        last = joined[-1] if joined else None
        if last is not None and _plain(last) and _plain(part) and _thought(last) == _thought(part):
            joined[-1] = {**last, "text": last["text"] + part["text"]}
        else:
            joined.append(part)
    return joined


def _plain(part: Part) -> bool:
    return isinstance(part.get("text"), str) and not (part.keys() - {"text", "thought"})


def _thought(part: Part) -> bool:
    return bool(part.get("thought"))


class _Fold:
    """One pass over the live records; `finish` applies what they say about each other."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.owner: dict[str, Message] = {}  # open and message ids, update ids → message
        self.step: dict[str, Step] = {}
        self.pieces: dict[str, list[Part]] = {}  # deltas of a message not yet joined
        self.summaries: list[Summary] = []
        self.inserted: dict[str, list[Message]] = {}
        self.barrier = -1
        self.read = {
            "session": self.session, "message": self.message, "open": self.open, "ref": self.ref,
            "delta": self.delta, "commit": self.commit, "abort": self.abort, "update": self.update,
            "summary": self.summary, "compaction": self.compaction, "clear": self.clear,
            "meta": self.meta, "revert": self.revert,
        }  # fmt: skip

    # -- one record each ----------------------------------------------------------------------------

    def session(self, place: int, record: Record) -> None:
        if self.view.header is None:
            self.view.header, self.view.header_raw = record.data, record.raw
            self.view.id = str(record.data.get("id", ""))

    def message(self, place: int, record: Record) -> None:
        data = record.data
        parts: list[Part] = data["parts"]
        message = self.place(place, record)
        message.own = message.parts = parts
        message.blocks = message.pending = message.update = None

    def open(self, place: int, record: Record) -> None:
        message = self.place(place, record)
        message.raw = None
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
        kind = kind_of(data)
        id = data["id"]
        message = self.view.all.get(id)
        if message is None:
            message = Message(
                id=id, kind=kind, role=ROLE_OF_KIND[kind], ts=timestamp(data.get("ts")), fields=data,
                own=None, parts=None, place=place, raw=record.raw,
            )  # fmt: skip
            self.view.all[id] = self.owner[id] = message
        else:
            message.kind, message.role, message.raw = kind, ROLE_OF_KIND[kind], None
            message.fields = {**data, "ts": message.ts}
        self.step[id] = Step("message", id, place, message)
        return message

    def delta(self, place: int, record: Record) -> None:
        message = self.owner.get(record.data["of"])
        if message is not None and message.pending is not None:
            self.pieces.setdefault(message.id, []).extend(content_of(record.data) or ())

    def join(self, message: Message) -> None:
        """Join the deltas read so far to the pending content; once a message, so it stays linear."""
        pieces = self.pieces.pop(message.id, None)
        if pieces and message.pending is not None:
            message.pending = join(message.pending, pieces)

    def commit(self, place: int, record: Record) -> None:
        data = record.data
        message = self.owner.get(data["of"])
        if message is None or message.pending is None:
            return
        self.join(message)
        done = message.update["id"] if message.committed and message.update else data["of"]
        if done in self.step:  # an inserted message is undone with its compaction
            self.step[done].place = place
        parts = content_of(data)
        message.parts = parts if parts is not None else message.pending
        message.own, message.blocks = message.parts, record.blocks
        if parts is not None and type(data.get("parts")) is not list:
            message.own, message.blocks = None, data["blockIds"]
        given = {key: data[key] for key in data.keys() - _OF_A_COMMIT}
        message.fields = {**message.fields, **given}
        message.fields.pop("aborted", None)
        message.pending, message.update, message.raw = None, None, None

    def abort(self, place: int, record: Record) -> None:
        message = self.owner.get(record.data["of"])
        if message is not None and message.pending is not None:
            message.fields = {**message.fields, "aborted": record.data.get("reason", "")}

    def update(self, place: int, record: Record) -> None:
        data = record.data
        message = self.owner.get(data["of"])
        if message is None:
            return
        self.pieces.pop(message.id, None)
        message.pending = content_of(data) or []
        message.update = data
        self.owner[data["id"]] = message
        self.step[data["id"]] = Step("update", data["id"], place, message)

    def summary(self, place: int, record: Record) -> None:
        self.summaries.append(Summary(fields=record.data, place=place, raw=record.raw))
        self.step[record.data["id"]] = Step("summary", record.data["id"], place)

    def compaction(self, place: int, record: Record) -> None:
        self.view.applied.append(record)
        self.step[record.data["id"]] = Step("compaction", record.data["id"], place)
        self.placed(record, place)

    def placed(self, record: Record, place: int) -> None:
        for number, op in enumerate(record.data["ops"]):
            if op.get("op") == "insert" and type(op.get("message")) is dict:
                data = op["message"]
                kind = kind_of(data)
                parts = content_of(data)
                message = Message(
                    id=str(data.get("id") or f"{record.data['id']}.{number}"), kind=kind,
                    role=ROLE_OF_KIND[kind], ts=timestamp(data.get("ts")), fields=data,
                    own=parts or [], parts=parts, place=place,
                )  # fmt: skip
                message.after = str(op.get("after"))
                if message.id not in self.view.all:
                    self.view.all[message.id] = self.owner[message.id] = message
                    self.inserted.setdefault(message.after, []).append(message)

    def clear(self, place: int, record: Record) -> None:
        self.barrier = place
        self.step[record.data["id"]] = Step("clear", record.data["id"], place)

    def meta(self, place: int, record: Record) -> None:
        self.view.meta.update(record.data["set"])
        self.view.carried.append(record)

    def revert(self, place: int, record: Record) -> None:
        """Live reverts did their work before the fold."""

    # -- what they say about each other -------------------------------------------------------------

    def finish(self) -> None:
        view = self.view
        for id in list(self.pieces):
            self.join(view.all[id])
        if self.barrier >= 0:
            self.hide_cleared()
        places = {record.data["id"]: self.step[record.data["id"]].place for record in view.applied}
        for record in view.applied:
            self.apply(record, places[record.data["id"]])
        for summary in self.summaries:
            for id in summary.covers:
                self.hide(id, summary.id, summary.place)
        number_calls(view)
        for message in view.all.values():
            if message.replaced and message.committed:
                message.parts = replaced_parts(message.parts, message.replaced)
                message.raw = None
        view.messages = self.ordered()
        view.summaries, covered = arrange(self.summaries, view.all)
        view.hidden_summaries += covered
        view.steps = sorted(self.step.values(), key=lambda step: step.place)

    def hide_cleared(self) -> None:
        view = self.view
        for message in view.all.values():
            if message.place < self.barrier:
                message.hidden = "clear"
        view.applied = [r for r in view.applied if self.step[r.data["id"]].place > self.barrier]
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
            holds = part < len(own) and block_of(own[part]) == op.get("block")
        if holds:
            message.replaced = {**(message.replaced or {}), part: replacement(op)}

    def ordered(self) -> list[Message]:
        """The visible messages: by place, inserted ones right after what they belong to."""
        if not self.inserted:
            return [m for m in self.view.all.values() if m.hidden is None and shown(m)]
        inserted = {message.id for group in self.inserted.values() for message in group}
        visible: list[Message] = []
        for root in self.view.all.values():
            if root.id in inserted:
                continue
            stack = [root]
            while stack:
                message = stack.pop()
                children = self.inserted.get(message.id, ())
                if message.hidden is None and shown(message):
                    visible.append(message)
                else:
                    for child in children:
                        child.hidden = child.hidden or message.hidden or message.id
                stack.extend(reversed(children))
        return visible


def arrange(summaries: list[Summary], messages: dict[str, Message]) -> tuple[list[Summary], list[Summary]]:
    """Shown and covered summaries, in the order of what they cover; what another covers is not shown."""
    known = {summary.id: summary for summary in summaries}
    covered = {
        id for summary in summaries for id in summary.covers
        if id in known and known[id].place <= summary.place and id != summary.id
    }  # fmt: skip
    start = {s.id: _start(s, known, messages) for s in summaries}
    shown = [s for s in summaries if s.id not in covered]
    return sorted(shown, key=lambda s: (start[s.id], s.place)), [s for s in summaries if s.id in covered]


def number_calls(view: View) -> None:
    """Tell each live message how many calls without an id stand before it in the log."""
    count = 0
    for message in view.all.values():
        message.idless = count
        for part in message.own if message.own is not None else message.parts:
            if "functionCall" in part or "blockId" in part:
                count += is_idless(part)


def is_idless(part: Part) -> bool:
    """Whether a part, read or not, is a call without an id."""
    stored: object = part
    if type(stored) is Unread:
        return stored.call
    return "functionCall" in part and not part["functionCall"].get("id")


def shown(message: Message) -> bool:
    """Whether anything is left of it: a message whose parts were all replaced by nothing is not shown."""
    if message.replaced:
        count = len(message.own) if message.own is not None else len(message.blocks or ())
        if count and all(message.replaced.get(part, message) is None for part in range(count)):
            return message.pending is not None
    return True


def replaced_parts(own: list[Part], replaced: dict[int, Part | None]) -> list[Part]:
    """A message's own parts with the replacements that hold."""
    kept: list[Part] = []
    for number, part in enumerate(own):
        new = replaced.get(number, part)
        if new is not None:
            kept.append(new)
    return kept


def summary_fields(compaction: Json, number: int, op: Op) -> Json:
    """The summary that a `summarize` op stands for, as a record of its own."""
    fields: Json = {
        "type": "summary", "id": f"{compaction['id']}.{number}", "createdAt": compaction.get("ts"),
        "summary": op["summary"], "covers": list(op.get("ids") or ()), "by": compaction["id"],
    }  # fmt: skip
    for name in ("periodStart", "periodEnd", "conversationCount"):
        if name in op:
            fields[name] = dict(op)[name]
    return fields


def _start(summary: Summary, known: dict[str, Summary], messages: dict[str, Message]) -> int:
    """The place of the first message that a summary stands for; its own where it covers none."""
    seen: set[str] = set()
    stack = [summary]
    places: list[int] = []
    while stack:
        current = stack.pop()
        if current.id in seen:
            continue
        seen.add(current.id)
        for id in current.covers:
            if id in messages:
                places.append(messages[id].place)
            elif id in known:
                stack.append(known[id])
    return min(places, default=summary.place)
