"""What each line of a log is called, in whatever copy it stands and whatever was redacted in it.

A line is called by its id; without one by its type and what it is `of`, or its time. What has none of
these (a bare message, a damaged line) is called by the line before it. No name tells anything of content.
"""

from __future__ import annotations

from collections import Counter

from .model import Json
from .records import Record, lines_of, parse


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
