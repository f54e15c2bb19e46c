"""Files that do not begin with our header: which may be written, and how the older forms are read."""

from __future__ import annotations

import orjson

from ..errors import BadData
from ..model import Json
from ..records import VERSION, Log, lines_of, parse

_TORN = b'{"type":"session"'


def check_writable(data: bytes, path: str) -> bool:
    """Refuse a file that is something else; whether it holds only a torn header, and so counts as empty."""
    first = data.split(b"\n", 1)[0]
    if b"\n" not in data and (_TORN.startswith(first) or first.startswith(_TORN)) and not _is_json(first):
        return True
    if not data.strip(b"\0"):
        return True  # blocks that were allocated and never written
    if data.lstrip()[:1] == b"[" or older_form(data) is not None:
        raise BadData(f"{path}: an older form, read but never written; use `import` into a new session")
    log = parse(lines_of(data))
    header = next((r.data for r in log.records if r.data["type"] == "session"), None)
    if header is not None:
        version = header.get("version")
        if version != VERSION:
            raise BadData(f"{path}: version {version}, and this program writes only version {VERSION}")
    if not any(r.data["type"] in ("session", "message", "ref", "open") for r in log.records):
        raise BadData(f"{path}: not a session; it is left as it is")
    return False


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except ValueError:
        return False
    return True


def older_form(data: bytes) -> Json | list[Json] | None:
    """The value of a file that is one JSON array or wrapper object of an older form; else None."""
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start not in (b"[", b"{"):
        return None
    if start == b"{" and _is_json(data.split(b"\n", 1)[0]) and data.count(b"\n") > 1:
        return None  # lines of JSON
    try:
        value = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return None
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and ("recentConversations" in value or isinstance(value.get("refs"), list)):
        return value
    return None


def read(data: bytes) -> Log:
    """A session in any of its forms, newest first: lines, refs, persisted history, array of contents."""
    if data[:1] != b"{" or data.count(b"\n") <= 1 or data[:2] in (b"{\n", b"{\r"):
        value = older_form(data)
        if value is not None:
            from ..importers import older

            return older.log_of(value, len(data))
    gaps = getattr(data, "gaps", None)
    return parse(lines_of(data), b"" if gaps else data, gaps)
