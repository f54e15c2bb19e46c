"""Redactions: which lines of a log lost content for good, by their names; the view is not concerned.

A line is called the same in whatever copy it stands and whatever was redacted in it: by its id; without one
by its type and what it is `of`, or its time. What has none of these (a bare message, a damaged line) is
called by the line before it. No name tells anything of content.

`redact -i` leaves one after the first line, so that other copies of the session lose the same (`sync`). It
says nothing of what was removed, no hash of it either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .model import Json
from .records import Record, dumps, lines_of, parse

REDACTION = "redaction"
_BEGIN = b'{"type":"redaction",'


class Line:
    """A line that is not blank: its name, its bytes without the newline, its record (None: damaged)."""

    __slots__ = ("name", "raw", "record")

    def __init__(self, name: str, raw: bytes, record: Record | None) -> None:
        self.name = name
        self.raw = raw
        self.record = record


def named(data: bytes) -> list[Line]:
    """The lines of a session; a torn last one is none."""
    records = {record.offset: record for record in parse(lines_of(data)).records}
    counts: Counter[str] = Counter()
    lines: list[Line] = []
    offset = after = 0
    before = ""
    for text in lines_of(data):
        record, offset = records.get(offset), offset + len(text)
        raw = text.removesuffix(b"\n")
        if not raw.strip() or (record is None and raw is text):
            continue
        own = _own(record.data) if record is not None and record.bare is None else None
        if own is None:
            after += 1
            name = f"{before} +{after}"
        else:
            counts[own] += 1
            before = name = own if counts[own] == 1 else f"{own} #{counts[own]}"
            after = 0
        lines.append(Line(name, raw, record))
    return lines


def _own(data: Json) -> str | None:
    """What names a record by itself, but for how often it stood before."""
    kind, id, of = data["type"], data.get("id"), data.get("of")
    if kind == "session":
        return f"session {data.get('created')}"
    if isinstance(id, str):
        return id
    if isinstance(of, str):
        return f"{kind} {of}"
    return f"{kind} {data['ts']}" if "ts" in data else None


def record(id: str, ts: str, before: Sequence[bytes], after: Sequence[bytes]) -> bytes | None:
    """The line that names those that changed; None where none did. Line for line the same session."""
    changed: list[str] = []
    lines = iter(named(b"".join(before)))
    for old, new in zip(before, after, strict=True):
        line = next(lines, None) if old.strip() else None
        if line is not None and old != new:
            changed.append(line.name)
    if not changed:
        return None
    return dumps({"type": REDACTION, "id": id, "ts": ts, "lines": changed}) + b"\n"


def added(lines: Sequence[bytes], redaction: bytes) -> list[bytes]:
    """A session's lines with a redaction after the first, in the order that `joined` gives them."""
    end = next((n for n, line in enumerate(lines) if n and not line.startswith(_BEGIN)), len(lines))
    return joined([lines[0].removesuffix(b"\n") + b"\n", *lines[end:]], [redaction, *lines[1:end]])


def joined(lines: Sequence[bytes], redactions: Iterable[bytes]) -> list[bytes]:
    """A session's lines with its redactions, in one order, after the first: that tells what the file is."""
    return [*lines[:1], *sorted(redactions), *lines[1:]]


def names_in(data: Json) -> list[str]:
    """The lines that a redaction names."""
    names = data.get("lines")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def blank(line: Line) -> Json:
    """A line's record with nothing of its content: what is left where two copies lost different things."""
    data: Json = line.record.data if line.record is not None else {}
    kept = {key: data[key] for key in _SAFE if key in data}
    if data.get("type") == "ref":
        kept["type"] = "message"
    if "parts" in data or "blockIds" in data:
        kept["parts"] = [{"text": "[redacted]"}]
    return {**kept, **{field: empty for field, empty in _EMPTY.items() if field in data}}


_SAFE = (
    "type", "version", "id", "of", "ts", "kind", "role", "created", "createdAt", "periodStart", "periodEnd",
    "conversationCount", "covers",
)  # fmt: skip
_EMPTY: Json = {"summary": "[redacted]", "set": {}, "ops": [], "reason": "[redacted]"}
