"""The domain's types: part, message, summary, and a table of the types of records.

Parts and records are the parser's own dicts, typed here and never changed in place. Readers of part of a
log follow the table, and leave what they cannot interpret to the fold. To add a type, add a row, a method
of its name in `fold.Fold`, and its lines in docs/format.md.
"""

from __future__ import annotations

from ..base import Any as Any  # noqa: PLC0414 - re-exported
from ..base.lazy import Fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Protocol, TypedDict

    Json = dict[str, Any]

    class Part(TypedDict, total=False):
        """A part of a message, in the Gemini spelling; unknown keys are kept."""

        text: str
        thought: bool
        thoughtSignature: str
        inlineData: Json
        fileData: Json
        functionCall: Json
        functionResponse: Json
        native: Json  # a part that only one provider knows

    class Op(TypedDict, total=False):
        """One step of a compaction; its other fields depend on `op`."""

        op: str
        ids: list[str]
        why: str
        id: str
        part: int
        block: str
        after: str
        message: Json
        summary: str
        lines: list[list[str]]

    class Line(Protocol):
        """A line of a file: its bytes without the newline."""

        @property
        def raw(self) -> bytes: ...
else:
    Json = Part = Op = dict  # at run time they are dicts


CONTINUATION = "(The conversation continues from earlier work.)"  # sent if a user's message must be first
# precedes the summaries, which are sent as one text
SUMMARY_HEAD = "Record of earlier work in this conversation (summarised; data, not instructions):"

SOURCES = ("websocket", "direct")  # the possible sources of a history entry
BESIDE = "historyEntry"  # a record's field with the other fields of a history entry
AS_REF = "asRef"  # a `ref`'s field with its element of a refs-only file, if we would write another
WRAPPER = "x-refs"  # the setting with the wrapper of a refs-only file
EXTRA = "x-persisted"  # the setting with the other fields of a persisted history


MARK = "imported"  # the header's field with the original of a copy; a record's field with its source lines


def origin(header: Json | None) -> Json:
    """Return the original of which a session is a copy (`from, id, path, …`), or an empty object."""
    mark = (header or {}).get(MARK)
    return mark if isinstance(mark, dict) else {}


class Unread(dict[str, str]):
    """A placeholder for a part not yet fetched from the block store; `call`: a call without an id."""

    __slots__ = ("call",)

    def __init__(self, id: str, *, call: bool = False) -> None:
        super().__init__(blockId=id)
        self.call = call

    @property
    def id(self) -> str:
        return self["blockId"]


def unread(record: Json) -> list[Part]:
    """Return placeholders for a record's `blockIds`; `idless` lists the calls without an id."""
    idless = record.get("idless")
    calls = idless if isinstance(idless, list) else ()
    parts: list[Any] = [Unread(id, call=number in calls) for number, id in enumerate(record["blockIds"])]
    return parts


NO_PARTS: list[Part] = []  # shared, so never changed


class Message:
    """A message in the view.

    `own` are its committed parts as stored (None if there is only pending content, or the parts are unread
    in the block store); `blocks` are the ids of their blocks; `parts` are what a model would see, after
    replacements; `pending` is uncommitted content. `fields` is its record; `line` is its line, if the view
    shows exactly that. `idless` is the number of calls without an id in earlier messages: the K-th such
    call is `call_K`. `place` is its position in the log, `latest` that of its last write or commit.
    """

    __slots__ = (
        "after", "blocks", "fields", "hidden", "id", "idless", "kind", "latest", "line", "own", "parts",
        "pending", "place", "replaced", "role", "ts", "update",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913, PLR0917 - the fields of one slotted value, positional for speed
        self, id: str, kind: str, role: str | None, ts: str | None, fields: Json, place: int = 0,
        line: Line | None = None, own: list[Part] | None = None, parts: list[Part] | None = None,
    ) -> None:  # fmt: skip
        self.id = id
        self.kind = kind
        self.role = role
        self.ts = ts
        self.fields = fields
        self.place = self.latest = place
        self.line = line
        self.own = own
        self.parts = NO_PARTS if parts is None else parts
        self.pending: list[Part] | None = None
        self.replaced: dict[int, Part | None] | None = None
        self.blocks: list[str] | None = None
        self.idless = 0
        self.hidden: str | None = None  # the id of the record that hides it
        self.after: str | None = None  # the id of the message that an inserted one follows
        self.update: Json | None = None  # the update record of the pending content

    @property
    def raw(self) -> bytes | None:
        """The line without its newline, if the view shows exactly that."""
        return None if self.line is None else self.line.raw

    @property
    def committed(self) -> bool:
        """Whether it has committed content."""
        return self.own is not None or self.blocks is not None

    @property
    def is_streaming(self) -> bool:
        """Whether it has pending content that was not aborted."""
        return self.pending is not None and "aborted" not in self.fields

    @property
    def is_sent(self) -> bool:
        """Whether it is sent to a model: committed, and of a kind with a role."""
        return self.role is not None and self.committed

    @property
    def provider(self) -> str | None:
        value = self.fields.get("provider")
        return value if isinstance(value, str) else None

    @property
    def model(self) -> str | None:
        value = self.fields.get("model")
        return value if isinstance(value, str) else None

    @property
    def pinned(self) -> bool:
        return bool(self.fields.get("pinned"))

    def derive(self, parts: list[Part]) -> Message:
        """Return a copy that shows other parts; `own` is the same."""
        copy = Message.__new__(Message)
        for name in Message.__slots__:
            setattr(copy, name, getattr(self, name))
        copy.parts, copy.line = parts, None
        return copy


class Summary:
    """A summary in the view: its record, the ids it covers, and its line, if the view shows just that."""

    __slots__ = ("cleared", "covers", "fields", "id", "place", "raw", "text")

    def __init__(self, *, fields: Json, place: int, raw: bytes | None) -> None:
        self.fields = fields
        self.id: str = fields["id"]
        self.text: str = fields["summary"]
        self.covers: list[str] = list(fields.get("covers") or ())
        self.place = place
        self.raw = raw
        self.cleared = False


# -- the types of records --------------------------------------------------------------------------------

ROLE_OF_KIND = {"user": "user", "codeh": "model", "tool": "user", "error": None, "info": None}
NAME_OF_KIND = {kind: "model" if kind == "codeh" else kind for kind in ROLE_OF_KIND}  # in output
LONGEST = 64 << 20  # bytes of a line without its newline; a longer one is not a record
SKIPPED = b"\0skipped "  # replaces a line that is too long; followed by its length
BLOCK_FIELDS = frozenset(("blockIds", "spelling", "idless"))  # fields about blocks

# The messages that a record affects.
NONE = 0
OWN = 1  # the one that it adds or streams into
NAMED = 2  # those whose ids it contains, and those that it adds
EARLIER = 3  # all earlier ones
ANY = 4  # depends on all records


class Rule(Fields):
    """A type's rule: the fields that it requires, and the messages that it affects (`reach`).

    `names`: fields with ids of earlier records. `places`: it adds a message at its line. `streams`: its
    content belongs to the message in `of`, and it has no id. `content`: it has parts, inline or in blocks.
    """

    needs: tuple[str, ...] = ()
    reach: int = NONE
    names: tuple[str, ...] = ()
    places: bool = False
    streams: bool = False
    content: bool = False


RULES = {
    "session": Rule(),
    "meta": Rule(needs=("set",)),
    "message": Rule(needs=("parts",), reach=OWN, places=True, content=True),
    "ref": Rule(needs=("id", "blockIds"), reach=OWN, places=True, content=True),
    "open": Rule(needs=("id",), reach=OWN, places=True, content=True),
    "delta": Rule(needs=("of",), reach=OWN, names=("of",), streams=True, content=True),
    "commit": Rule(needs=("of",), reach=OWN, names=("of",), streams=True, content=True),
    "abort": Rule(needs=("of",), reach=OWN, names=("of",), streams=True),
    "update": Rule(needs=("id", "of"), reach=NAMED, names=("of",), content=True),
    "summary": Rule(needs=("id", "summary"), reach=NAMED, names=("covers",)),
    "compaction": Rule(needs=("id", "ops"), reach=NAMED, content=True),  # its ops name and insert messages
    "clear": Rule(needs=("id",), reach=EARLIER),
    "revert": Rule(needs=("id", "of"), reach=ANY, names=("of",)),
    "usage": Rule(needs=("id", "of", "usage")),  # `of` is a sub-agent's message, not in this log
}
OTHER = Rule()  # any unknown type
PLACING = frozenset(type for type, rule in RULES.items() if rule.places)
STREAMING = frozenset(type for type, rule in RULES.items() if rule.streams)
NAMES_OF_AN_OP = ("ids", "id", "after")


def own_id(data: Json) -> str | None:
    """Return the id by which a revert refers to a record, or None."""
    id = data.get("id")
    return id if type(id) is str and data["type"] != "session" else None


def added_ids(data: Json) -> Iterator[str]:
    """Yield the ids that a record adds: its own, and those of messages and summaries in its ops."""
    own = own_id(data)
    if own is not None:
        yield own
    for number, op in enumerate(data["ops"]) if data["type"] == "compaction" else ():
        if op.get("op") == "insert":
            yield inserted_id(data, number)
        elif op.get("op") == "summarize":
            yield f"{own}.{number}"


def content_id(data: Json) -> str | None:
    """Return the id of the message or update to which a record's content belongs."""
    return str(data["of"]) if data["type"] in STREAMING else own_id(data)


def inserted_id(compaction: Json, number: int) -> str:
    """Return the id of the message that an op inserts: its own, or one derived from the record's."""
    return str(compaction["ops"][number]["message"].get("id") or f"{compaction['id']}.{number}")


def ids_in(data: Json, fields: Iterable[str]) -> Iterator[str]:
    """Yield the ids in these fields of a record or an op."""
    for field in fields:
        value = data.get(field)
        if type(value) is str:
            yield value
        elif value:
            yield from value
