"""A session's log, prepared for comparison with another copy, and the redactions of one copy for all."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

import orjson

from ..session.fold import content
from ..session.model import STREAMING
from ..session.records import dumps, parse
from ..session.redactions import REDACTION, Line, named_lines, names_in, with_redactions, without_content
from ..session.view import timestamp

QUIET = frozenset(("summary", "compaction", "meta"))  # types without new messages
_NOT_COMPARED = frozenset(("id", "parent"))  # fields of a header in which a fork differs
_OF_THE_MACHINE = frozenset(("path", "version"))  # fields of `imported` that differ between machines


class Log:
    """The lines of a session, and separately its redactions.

    `lines` include damaged lines and deltas of committed streams, which are not compared.
    """

    def __init__(self, lines: Sequence[Line], redactions: Iterable[bytes] = ()) -> None:
        self.lines = lines
        self.redactions = frozenset(redactions)

    @property
    def header(self) -> Line | None:
        return self.lines[0] if self.lines and type_of(self.lines[0]) == "session" else None

    @property
    def data(self) -> bytes:
        """The session's bytes, with its redactions after the first line."""
        lines = with_redactions([line.raw for line in self.lines], self.redactions)
        return b"".join(line + b"\n" for line in lines)

    @cached_property
    def _streams(self) -> dict[str, str]:
        """Maps each update of a stream to the stream."""
        streams: dict[str, str] = {}
        for line in self.lines:
            if line.record is not None and line.record.data["type"] == "update":
                of = str(line.record.data["of"])
                streams[line.record.data["id"]] = streams.get(of, of)
        return streams

    @cached_property
    def commits(self) -> Counter[str]:
        """The number of commits of each stream."""
        return Counter(self.stream(line) for line in self.lines if type_of(line) == "commit")

    @cached_property
    def ended(self) -> set[str]:
        """The streams that were committed or aborted."""
        return {self.stream(line) for line in self.lines if type_of(line) in ("commit", "abort")}

    def stream(self, line: Line) -> str:
        """Return the stream that a line opens or belongs to, or ""."""
        if line.record is None or type_of(line) not in (*STREAMING, "open"):
            return ""
        of = str(line.record.data["id" if type_of(line) == "open" else "of"])
        return self._streams.get(of, of)

    def unfinished_streams(self, ended: AbstractSet[str]) -> set[str]:
        """Return the unfinished streams at the end; one before other messages counts as abandoned."""
        streams: set[str] = set()
        for line in reversed(self.lines):
            stream = self.stream(line)
            if stream and stream not in ended:
                streams.add(stream)
            elif type_of(line) and type_of(line) not in QUIET:
                break
        return streams

    def compared(self, other: Log) -> list[Line]:
        """Return the lines to compare: not damaged, no delta of a stream committed later in either log."""
        lines: list[Line] = []
        done: Counter[str] = Counter()
        for line in self.lines:
            kind, stream = type_of(line), self.stream(line)
            done[stream] += kind == "commit"
            is_committed = done[stream] < max(self.commits[stream], other.commits[stream])
            if kind and not (kind == "delta" and is_committed):
                lines.append(line)
        return lines

    def branches(self, other: Log) -> tuple[bool, list[Line], list[Line]]:
        """Return whether the logs have a common beginning, and the lines of each after it."""
        mine, theirs = self.compared(other), other.compared(self)
        pairs = enumerate(zip(mine, theirs, strict=False))
        shorter = min(len(mine), len(theirs))
        at = next((number for number, pair in pairs if not same(*pair)), shorter)
        return at > 0, mine[at:], theirs[at:]


def read(data: bytes) -> Log:
    """Parse a session's bytes; leave out a torn last line."""
    lines = named_lines(data)
    redactions = [line.raw for line in lines if type_of(line) == REDACTION]
    return Log([line for line in lines if type_of(line) != REDACTION], redactions)


def type_of(line: Line) -> str:
    """Return the type of a line's record, or "" if it is damaged."""
    return str(line.record.data["type"]) if line.record is not None else ""


def same(line: Line, other: Line) -> bool:
    """Return whether two lines have the same meaning; spelling and the place of parts do not matter."""
    return line.raw == other.raw or digest(line) == digest(other)


def missing_lines(others: Iterable[Line], lines: Iterable[Line]) -> list[Line]:
    """Return the lines that `others` lacks; a repeated line must be repeated there too."""
    unmatched = Counter(map(digest, others))
    missing = []
    for line in lines:
        unmatched[digest(line)] -= 1
        if unmatched[digest(line)] < 0:
            missing.append(line)
    return missing


def digest(line: Line) -> str:
    """Return a hash of a line's meaning; a header's excludes id and parent."""
    if line.record is None:
        meaning = line.raw
    elif type_of(line) == "session":
        header = {key: value for key, value in line.record.data.items() if key not in _NOT_COMPARED}
        if isinstance(header.get("imported"), dict):
            items = header["imported"].items()
            header["imported"] = sorted(item for item in items if item[0] not in _OF_THE_MACHINE)
        meaning = dumps(sorted(header.items()))
    else:
        meaning = content(line.record)
    return hashlib.sha256(meaning).hexdigest()


def time_of(line: Line) -> str:
    """Return the time when a line was written, or ""."""
    data = line.record.data if line.record is not None else {}
    return timestamp(data.get("ts", data.get("createdAt", data.get("created")))) or ""


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
