"""Apply the redactions of one copy to every copy and fork."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import orjson

from ..session.model import Json
from ..session.records import dumps, parse
from ..session.redactions import Line, names_in, without_content
from .log import Log, digest, type_of


def redacted(logs: Sequence[Log]) -> list[Log]:
    """Apply all redactions of a session and its forks to each log; return unchanged logs themselves.

    A redacted line is taken from a log that has all its redactions. If there is none, or if several differ,
    its whole content is removed, because each copy may still contain what another lost.
    """
    redactions = frozenset[bytes]().union(*(log.redactions for log in logs))
    if not redactions:
        return list(logs)
    of: defaultdict[str, set[bytes]] = defaultdict(set)  # line name → its redactions
    for redaction in redactions:
        for name in names_in(orjson.loads(redaction)):
            of[name].add(redaction)
    clean = {name: _clean(name, redactions, logs) for name, redactions in of.items()}
    return [_applied(log, of, clean) for log in logs]


def _clean(name: str, redactions: set[bytes], logs: Iterable[Log]) -> Line | None:
    """Return the fully redacted line of this name; None if no log has it, or if logs differ."""
    complete = (log for log in logs if redactions <= log.redactions)
    copies = [line for log in complete for line in log.lines if line.name == name]
    return copies[0] if len(set(map(digest, copies))) == 1 else None


def _applied(log: Log, of: dict[str, set[bytes]], clean: dict[str, Line | None]) -> Log:
    """Apply the redactions of a log's lines to it."""
    concerned = [line for line in log.lines if line.name in of]
    redactions = log.redactions.union(*(of[line.name] for line in concerned))
    # their deltas contain the same content
    streams = {log.root(line) for line in concerned if type_of(line) == "commit"}
    lines: list[Line] = []
    for line in log.lines:
        new = _replaced(line, clean[line.name]) if line.name in of else line
        if new is not None and not (type_of(line) == "delta" and log.root(line) in streams):
            lines.append(new)
    same = redactions == log.redactions and lines == [*log.lines]
    return log if same else Log(lines, redactions)


def _replaced(line: Line, new: Line | None) -> Line | None:
    """Return the redacted line, or None to remove it; a header keeps its id and parent."""
    if new is not None and digest(new) == digest(line):
        return line
    if new is None and line.record is None:
        return None
    if new is None:
        raw = dumps(without_content(line))
    elif type_of(line) == "session" and line.record is not None and new.record is not None:
        own: Json = {key: line.record.data[key] for key in ("id", "parent") if key in line.record.data}
        shared = {key: value for key, value in new.record.data.items() if key != "parent"}
        raw = dumps({**shared, **own})
    else:
        raw = new.raw
    records = parse(raw).records
    return Line(line.name, raw, records[0] if records else None)
