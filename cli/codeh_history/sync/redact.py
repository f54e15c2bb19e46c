"""Apply the redactions of one copy to every copy and fork."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import orjson

from ..session.records import dumps, parse
from ..session.redactions import Line, names_in, without_content
from .log import Log, digest, type_of


def redacted(logs: Sequence[Log]) -> list[Log]:
    """Apply all redactions of a session and its forks to each log; return unchanged logs themselves.

    A redacted line is taken from a log that has all its redactions. If there is none, or if several differ,
    its whole content is removed, because each copy may still contain what another lost.
    """
    of: defaultdict[str, set[bytes]] = defaultdict(set)  # line name → its redactions
    for redaction in {redaction for log in logs for redaction in log.redactions}:
        for name in names_in(orjson.loads(redaction)):
            of[name].add(redaction)
    clean: defaultdict[str, dict[str, Line]] = defaultdict(dict)  # line name → its redacted forms
    for log in logs if of else ():
        for line in log.lines:
            if line.name in of and of[line.name] <= log.redactions:
                clean[line.name].setdefault(digest(line), line)
    return [_applied(log, of, clean) for log in logs]


def _applied(log: Log, of: dict[str, set[bytes]], clean: dict[str, dict[str, Line]]) -> Log:
    """Apply the redactions of a log's lines to it."""
    concerned = [line for line in log.lines if line.name in of]
    redactions = log.redactions.union(*(of[line.name] for line in concerned))
    # their deltas contain the same content
    streams = {log.stream(line) for line in concerned if type_of(line) == "commit"}
    lines: list[Line] = []
    for line in log.lines:
        forms = [*clean[line.name].values()] if line.name in of else [line]
        new = _replaced(line, forms[0] if len(forms) == 1 else None)
        if new is not None and not (type_of(line) == "delta" and log.stream(line) in streams):
            lines.append(new)
    same = redactions == log.redactions and lines == [*log.lines]
    return log if same else Log(lines, redactions)


def _replaced(line: Line, new: Line | None) -> Line | None:
    """Return the redacted line, or None to remove it; a header keeps its id and parent."""
    if new is line or (new is not None and digest(new) == digest(line)):
        return line
    if line.record is None:
        return new
    raw = dumps(without_content(line)) if new is None else new.raw
    if new is not None and new.record is not None and type_of(line) == "session":
        header = {key: value for key, value in new.record.data.items() if key != "parent"}
        header |= {key: line.record.data[key] for key in ("id", "parent") if key in line.record.data}
        raw = dumps(header)
    return Line(line.name, raw, next(iter(parse(raw).records), None))
