"""Redactions: which lines of a log lost content for good, by their names; the view is not concerned.

`redact -i` leaves one after the first line, so that other copies of the session lose the same (`sync`). It
says nothing of what was removed, no hash of it either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .line_names import Line, named
from .model import Json
from .records import dumps

REDACTION = "redaction"
_BEGIN = b'{"type":"redaction",'


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
