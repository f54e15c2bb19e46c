"""Read files that do not begin with our header, and check which of them may be written."""

from __future__ import annotations

from ..base.errors import BadData
from ..base.read_json import json_value
from ..session.model import PLACING, RULES, Json
from ..session.records import BOM, VERSION, Log, parse

OURS = b'{"type":"session","version":1,"id"'  # the beginning of a session file of this program
_TORN = b'{"type":"session"'
_KEYS = frozenset(("recentConversations", "refs", "contents", "messages", "input"))  # of wrappers


def check_writable(data: bytes, path: str) -> bool:
    """Raise BadData unless the file is a session; return whether it has only a torn header."""
    begins = _TORN.startswith(data) or data.startswith(_TORN)
    if begins and b"\n" not in data and json_value(data) is None:
        return True
    if not data.strip(b"\0"):
        return True  # all zeros: a crash left the file allocated but not written
    from ..programs.registry import detect_program
    from .program_files import HEAD, head_of

    program = detect_program(head_of(data[:HEAD]))
    if program is not None:
        raise BadData(f"{path}: a session of {program}, read but never written; `import` it")
    if data.lstrip()[:1] == b"[" or older_form(data) is not None:
        raise BadData(f"{path}: an older form, read but never written; use `import` into a new session")
    log = parse(data)
    header = next((r.data for r in log.records if r.data["type"] == "session"), None)
    if header is not None and header.get("version") != VERSION:
        version = header.get("version")
        raise BadData(f"{path}: version {version}, but this program only writes version {VERSION}")
    if not any(r.data["type"] in {"session", *PLACING} for r in log.records):
        raise BadData(f"{path}: not a session; left unchanged")
    if header is None:
        from ..programs.forms.legacy import is_ours

        if not is_ours(log, data):
            raise BadData(f"{path}: Gemini's messages; use `import` into a new session")
    return False


def older_form(data: bytes) -> Json | list[Json] | None:
    """Return the value of a file that is one JSON array or wrapper object of an older form, or None."""
    start = data.lstrip(BOM + b" \t\r\n")[:1]
    if start not in (b"[", b"{"):
        return None
    if start == b"{" and json_value(data.split(b"\n", 1)[0]) is not None and _has_lines(data):
        return None  # lines of JSON
    value = json_value(data.removeprefix(BOM))
    if isinstance(value, dict) and _KEYS.isdisjoint(value):
        from ..programs.forms.history import history_in

        return history_in(value)
    return value if isinstance(value, list | dict) else None


def _has_lines(data: bytes) -> bool:
    """Return whether the data contains more than one newline."""
    return data.find(b"\n", data.find(b"\n") + 1) >= 0


def read_log(data: bytes) -> Log:
    """Parse a session in any form: our lines, another program's, an older form, a provider's messages."""
    if data and not data.startswith(OURS):
        from .program_files import translated

        data = translated.of_bytes(data) or data
    log = _parsed(data)
    log.damage += getattr(data, "damage", ())
    return log


def _is_session(log: Log) -> bool:
    """Return whether the log begins with one of this program's records."""
    return bool(log.records and log.records[0].data["type"] in RULES and log.records[0].bare is None)


def _parsed(data: bytes) -> Log:
    if data[:1] != b"{" or not _has_lines(data) or data[:2] in (b"{\n", b"{\r"):
        log = _other_form(data)
        if log is not None:
            return log
    log = parse(data)
    if _is_session(log):
        return log
    from ..programs.forms.legacy import is_ours

    return log if is_ours(log, data) else _other_form(data, lines=True) or log


def _other_form(data: bytes, *, lines: bool = False) -> Log | None:
    """Parse one JSON value of another form, or with `lines` also a provider's messages, one per line."""
    value = older_form(data)
    if value is None and not lines:
        return None
    from ..programs import forms

    return forms.log_of_lines(data) if value is None else forms.log_of_value(value, len(data))


def begins_a_session(line: bytes) -> bool:
    """Return whether a file with this first line looks like a session."""
    return _is_session(parse(line))
