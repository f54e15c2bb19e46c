"""The view: what a model would see now; functions on its messages and summaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy

from .model import BLOCK_FIELDS, ROLE_OF_KIND, Json, Message, Part, Summary, Unread, unread
from .records import Log, Record, dumps, id_is_in_line


class Step:
    """A change that `undo` can revert: its type, its id, and its last position."""

    __slots__ = ("id", "message", "place", "type")

    def __init__(self, type: str, id: str, place: int, message: Message | None = None) -> None:
        self.type = type
        self.id = id
        self.place = place
        self.message = message


class View:
    """What a model would see now, with the log it was computed from.

    `messages` and `summaries` are the visible ones, in order; `all` has every live message by id, hidden
    ones too; `carried` are settings and unknown lines in file order; `dead` are the positions of undone and
    of repeated records.
    """

    def __init__(self, log: Log, dead: set[int] | None = None, notes: list[str] | None = None) -> None:
        self.log = log
        self.dead = dead or set()
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
        self.changes: dict[str, Step] = {}  # the steps other than messages, by id
        self.notes = notes or []

    @property
    def steps(self) -> list[Step]:
        """The changes that `undo` can revert, by last position; inserted messages belong to compactions."""
        messages = (Step("message", m.id, m.latest, m) for m in self.all.values() if m.after is None)
        return sorted([*messages, *self.changes.values()], key=lambda step: step.place)

    @property
    def sent(self) -> list[Message]:
        """The visible messages that are sent to a model."""
        return [message for message in self.messages if message.is_sent]

    def with_messages(self, messages: list[Message], summaries: list[Summary] | None = None) -> View:
        """Return a copy of the view that shows other messages."""
        other = copy(self)
        other.messages = messages
        if summaries is not None:
            other.summaries = summaries
        return other

    def with_settings(self, meta: Json) -> View:
        """Return a copy of the view with these settings."""
        other = copy(self)
        other.meta = meta
        return other

    def lines(self) -> Iterator[bytes]:
        """Yield the session stream that filters print, which folds to this view.

        Header, settings, unknown lines, summaries and messages; unchanged lines keep their bytes.
        """
        return ((item if isinstance(item, bytes) else dumps(item)) + b"\n" for item in self.stream())

    def stream(self) -> Iterator[bytes | Json]:
        """Yield the items of `lines`: unchanged lines as bytes, new ones as records."""
        if self.header_raw is not None:
            yield self.header_raw
        for record in self.carried:
            yield record.raw
        for summary in self.summaries:
            yield summary.raw if summary.raw is not None else summary.fields
        for message in self.messages:
            raw = message.raw
            if message.committed and raw is not None and id_is_in_line(raw, message.id):
                yield raw
            elif message.committed:
                yield from _committed(message, self.id)
            if message.pending is not None:
                yield from _pending(message)


def kind_of(data: Json) -> str:
    """Return a message's kind: as recorded, else from its role and parts."""
    kind = data.get("kind")
    if kind in ROLE_OF_KIND:
        return str(kind)
    if data.get("role") == "model":
        return "codeh"
    return "tool" if any("functionResponse" in part for part in data.get("parts") or ()) else "user"


def text_of(message: Message) -> str:
    """Return a message's texts, joined, without thoughts."""
    parts = message.parts if message.own is not None else message.parts or message.pending or ()
    if len(parts) == 1:  # most messages
        part = parts[0]
        return part.get("text", "") if "thought" not in part or not part["thought"] else ""
    return "".join(part["text"] for part in parts if "text" in part and not part.get("thought"))


def readable_text(message: Message) -> str:
    """Return a message's texts for reading: a user's are separated by blank lines."""
    if message.role == "model" or len(message.parts) < 2:
        return text_of(message)
    texts = (part["text"] for part in message.parts if "text" in part and not part.get("thought"))
    return "\n\n".join(text for piece in texts if (text := piece.strip("\n")))


def uses_tools(message: Message) -> bool:
    """Return whether a message contains calls or results."""
    for part in message.parts:  # noqa: SIM110 - a loop is faster, and logs are long
        if "functionCall" in part or "functionResponse" in part:
            return True
    return False


def content_of(data: Json) -> list[Part] | None:
    """Return a record's parts, unread ones if they are in blocks; None if it has no content."""
    parts = data.get("parts")
    if type(parts) is list:
        return parts
    return unread(data) if type(data.get("blockIds")) is list else None


def timestamp(value: object) -> str | None:
    """Return a stored time as text: RFC 3339 unchanged, epoch milliseconds converted."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        from ..base.times import FIRST, LAST, from_millis

        return from_millis(int(value)) if FIRST <= value <= LAST else None
    return value if isinstance(value, str) else None


def join(pending: list[Part], parts: Iterable[Part]) -> list[Part]:
    """Return pending content with more parts appended; adjacent plain texts are joined, in linear time."""
    joined = list(pending)
    texts: list[str] = []  # texts to append to the last part, joined once
    thought = _thought(joined[-1]) if joined else None
    for part in parts:
        before, thought = thought, _thought(part)
        if thought is not None and thought == before:
            texts.append(part["text"])
            continue
        if texts:
            joined[-1], texts = _longer(joined[-1], texts), []
        joined.append(part)
    if texts:
        joined[-1] = _longer(joined[-1], texts)
    return joined


def _longer(part: Part, texts: list[str]) -> Part:
    return {**part, "text": "".join((part["text"], *texts))}


def _thought(part: Part) -> bool | None:
    """Return whether a plain text is a thought; None for any other part."""
    plain = isinstance(part.get("text"), str) and not part.keys() - {"text", "thought"}
    return bool(part.get("thought")) if plain else None


def arrange(summaries: list[Summary], messages: dict[str, Message]) -> tuple[list[Summary], list[Summary]]:
    """Return the visible summaries, in the order of the messages they cover, and the covered ones."""
    by_id = {summary.id: summary for summary in summaries}
    covered = {
        id for summary in summaries for id in summary.covers
        if id in by_id and by_id[id].place <= summary.place and id != summary.id
    }  # fmt: skip
    above: dict[str, list[str]] = {}  # the summaries that cover a summary
    first: list[tuple[int, str]] = []  # the first position that a summary covers directly, and its id
    for summary in by_id.values():
        places = [messages[id].place for id in summary.covers if id in messages]
        if places:
            first.append((min(places), summary.id))
        for id in summary.covers:
            if id in by_id and id not in messages:
                above.setdefault(id, []).append(summary.id)
    starts: dict[str, int] = {}  # the first position that each summary covers, directly or not
    for place, id in sorted(first):  # sorted, so that each summary is visited once
        stack = [id]
        while stack:
            id = stack.pop()
            if id not in starts:
                starts[id] = place
                stack += above.get(id, ())
    shown = [s for s in summaries if s.id not in covered]
    shown.sort(key=lambda s: (starts.get(s.id, s.place), s.place))
    return shown, [s for s in summaries if s.id in covered]


def number_calls(messages: Iterable[Message], before: int = 0) -> int:
    """Set each message's number of earlier calls without an id; return the total."""
    for message in messages:
        message.idless = before
        for part in message.own if message.own is not None else message.parts:
            if "functionCall" in part or "blockId" in part:  # skips most parts quickly
                before += is_idless(part)
    return before


def is_idless(part: Part) -> bool:
    """Return whether a part, fetched or not, is a call without an id."""
    stored: object = part
    if type(stored) is Unread:
        return stored.call
    return "functionCall" in part and not part["functionCall"].get("id")


# -- a session stream --------------------------------------------------------------------------------------

BY_REFERENCE = ("flowId", *BLOCK_FIELDS)  # fields of a record whose parts are in the block store
_OF_A_MESSAGE = frozenset(("type", "id", "ts", "kind", "role", "parts", "of", "aborted", *BY_REFERENCE))


def _committed(message: Message, flow: str) -> Iterator[Json]:
    record = record_of(message, flow)
    joined = message.blocks is None and message.own is message.parts
    if joined and any(type(part) is Unread for part in message.parts):  # unread texts of deltas are joined
        yield {key: value for key, value in record.items() if key != "parts"} | {"type": "open"}
        yield {"type": "delta", "of": message.id, "parts": message.parts}
        record = {"type": "commit", "of": message.id, "ts": message.ts}
    yield record


def record_of(message: Message, flow: str = "") -> Json:
    """Return a message, as the view shows it, as one committed record; a `ref` if it is in blocks."""
    record: Json = {
        "type": "message", "id": message.id, "ts": message.ts, "kind": message.kind,
        "role": message.role, "parts": message.parts,
    }  # fmt: skip
    if message.role is None:
        del record["role"]
    fields = message.fields
    blocks = blocks_of(message)
    if blocks is not None:
        del record["parts"]
        record |= {"type": "ref", "blockIds": blocks, "flowId": fields.get("flowId", flow)}
        idless = [number for number, part in enumerate(message.parts) if is_idless(part)]
        if idless:
            record["idless"] = idless
    record.update((key, value) for key, value in fields.items() if key not in _OF_A_MESSAGE)
    return record


def blocks_of(message: Message) -> list[str] | None:
    """Return the ids of the blocks with exactly the parts that a message shows, or None."""
    untouched = not message.replaced and (message.own is None or message.own is message.parts)
    return message.blocks if untouched else None


def _pending(message: Message) -> Iterator[Json]:
    if not message.committed or message.update is None:
        fields = {key: value for key, value in message.fields.items() if key not in ("parts", "aborted")}
        yield {
            **fields, "type": "open", "id": message.id, "ts": message.ts, "kind": message.kind,
            "role": message.role,
        }  # fmt: skip
    edited = len(message.pending or ()) if message.update is not None else 0
    if message.update is not None:  # all in the update, because texts of a delta would be joined
        if any(type(part) is Unread for part in message.pending or ()):
            edited = len(content_of(message.update) or ())  # unread parts may be texts to join
        yield {**message.update, "of": message.id, "parts": (message.pending or [])[:edited]}
    if message.pending and message.pending[edited:]:
        yield {"type": "delta", "of": message.id, "parts": message.pending[edited:]}
    if "aborted" in message.fields:
        yield {"type": "abort", "of": message.id, "ts": message.ts, "reason": message.fields["aborted"]}
