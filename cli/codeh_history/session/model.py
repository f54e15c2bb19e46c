"""The domain's types: part, message, summary, view.

Parts and records are the parser's own dicts, typed here and never changed in place.
"""

from __future__ import annotations

from ..base import Any as Any  # noqa: PLC0414 - re-exported

TYPE_CHECKING = False
if TYPE_CHECKING:
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
