"""Redactions: records that name the lines whose content was removed; they do not affect the view.

A line has the same name in every copy of a session: its id; without one, its type and its `of`, or its
time. A line without these (a bare message, a damaged line) is named after the line before it. Names contain
no content.

`redact -i` adds a redaction after the first line, so that `sync` removes the same content from other
copies. It contains nothing of what was removed, not even a hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .model import Json
from .records import ParseState, Record, dumps, lines_of, parse

REDACTION = "redaction"
_BEGIN = b'{"type":"redaction",'


class Line:
    """A line that is not blank: its name, its bytes without the newline, its record (None: damaged)."""

    __slots__ = ("name", "raw", "record")

    def __init__(self, name: str, raw: bytes, record: Record | None) -> None:
        self.name = name
        self.raw = raw
        self.record = record


def named_lines(data: bytes) -> list[Line]:
    """Return the lines of a session with their names, without blank lines and a torn last one."""
    counts: Counter[str] = Counter()
    lines: list[Line] = []
    parsed = ParseState()
    after = 0
    before = ""
    for text in lines_of(data):
        record = next(iter(parse(text, parsed).records), None)
        raw = text.removesuffix(b"\n")
        if not raw.strip() or (record is None and raw is text):
            continue
        own = _name_of(record.data) if record is not None and record.bare is None else None
        if own is None:
            after += 1
            name = f"{before} +{after}"
        else:
            counts[own] += 1
            before = name = own if counts[own] == 1 else f"{own} #{counts[own]}"
            after = 0
        lines.append(Line(name, raw, record))
    return lines


def _name_of(data: Json) -> str | None:
    """Return a record's name without its occurrence number; None if it has no name of its own."""
    kind, id, of = data["type"], data.get("id"), data.get("of")
    if kind == "session":
        return f"session {data.get('created')}"
    if isinstance(id, str):
        return id
    if isinstance(of, str):
        return f"{kind} {of}"
    return f"{kind} {data['ts']}" if "ts" in data else None


def record(id: str, ts: str, before: Sequence[bytes], after: Sequence[bytes]) -> bytes | None:
    """Return a redaction that names the changed lines, or None; lines correspond one to one."""
    changed: list[str] = []
    lines = iter(named_lines(b"".join(before)))
    for old, new in zip(before, after, strict=True):
        line = next(lines, None) if old.strip() else None
        if line is not None and old != new:
            changed.append(line.name)
    if not changed:
        return None
    return dumps({"type": REDACTION, "id": id, "ts": ts, "lines": changed}) + b"\n"


def insert_redaction(lines: Sequence[bytes], redaction: bytes) -> list[bytes]:
    """Return a session's lines with a redaction added after the first, in sorted order."""
    end = next((n for n, line in enumerate(lines) if n and not line.startswith(_BEGIN)), len(lines))
    return with_redactions([lines[0].removesuffix(b"\n") + b"\n", *lines[end:]], [redaction, *lines[1:end]])


def with_redactions(lines: Sequence[bytes], redactions: Iterable[bytes]) -> list[bytes]:
    """Return a session's lines with the redactions, sorted, after the first, which identifies the file."""
    return [*lines[:1], *sorted(redactions), *lines[1:]]


def names_in(data: Json) -> list[str]:
    """Return the names of the lines that a redaction lists."""
    names = data.get("lines")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def without_content(line: Line) -> Json:
    """Return a line's record without content, for two copies with different redactions."""
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
