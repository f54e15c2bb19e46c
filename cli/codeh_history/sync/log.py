"""A session's log, prepared for comparison with another copy."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import takewhile

from ..session.live import content
from ..session.records import dumps
from ..session.redactions import REDACTION, Line, named_lines, with_redactions
from ..session.rules import STREAMING
from ..session.view import timestamp

QUIET = frozenset(("summary", "compaction", "meta"))  # types without new messages
_NOT_COMPARED = frozenset(("id", "parent"))  # fields of a header in which a fork differs
_OF_THE_MACHINE = frozenset(("path", "version"))  # fields of `imported` that differ between machines
Commits = Mapping[str, int]  # stream → number of its commits


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

    @cached_property
    def roots(self) -> dict[str, str]:
        """Map each stream, and each update of one, to its stream."""
        roots: dict[str, str] = {}
        for line in self.lines:
            data = line.record.data if line.record is not None else {}
            if data.get("type") == "open":
                roots[data["id"]] = data["id"]
            elif data.get("type") == "update":
                of = str(data["of"])
                roots[data["id"]] = roots.get(of, of)
        return roots

    @cached_property
    def commits(self) -> Counter[str]:
        return Counter(self.root(line) for line in self.lines if type_of(line) == "commit")

    @cached_property
    def ended(self) -> set[str]:
        """The streams that were committed or aborted."""
        return {self.root(line) for line in self.lines if type_of(line) in ("commit", "abort")}

    def root(self, line: Line) -> str:
        """Return the stream that a line opens or belongs to, or ""."""
        if line.record is None or not (type_of(line) == "open" or type_of(line) in STREAMING):
            return ""
        of = str(line.record.data["id" if type_of(line) == "open" else "of"])
        return self.roots.get(of, of)

    def unfinished_streams(self, ended: AbstractSet[str]) -> set[str]:
        """Return the unfinished streams at the end; one before other messages counts as abandoned."""
        streams: set[str] = set()
        for line in reversed(self.lines):
            root = self.root(line)
            if root and root not in ended:
                streams.add(root)
            elif type_of(line) and type_of(line) not in QUIET:
                break
        return streams

    def compared(self, other: Commits) -> list[Line]:
        """Return the lines to compare: not damaged, no delta of a stream committed later in either log."""
        lines: list[Line] = []
        done: Counter[str] = Counter()
        for line in self.lines:
            kind = type_of(line)
            if kind == "commit":
                done[self.root(line)] += 1
            elif kind == "delta":
                root = self.root(line)
                if done[root] < max(self.commits[root], other.get(root, 0)):
                    continue
            if kind:
                lines.append(line)
        return lines

    @property
    def data(self) -> bytes:
        """The session's bytes, with its redactions after the first line."""
        return b"".join(
            text + b"\n" for text in with_redactions([line.raw for line in self.lines], self.redactions)
        )


def read(data: bytes) -> Log:
    """Parse a session's bytes; leave out a torn last line."""
    lines = named_lines(data)
    apart = [line.raw for line in lines if type_of(line) == REDACTION]
    return Log([line for line in lines if type_of(line) != REDACTION] if apart else lines, apart)


def type_of(line: Line) -> str:
    """Return the type of a line's record, or "" if it is damaged."""
    return str(line.record.data["type"]) if line.record is not None else ""


def same(line: Line, other: Line) -> bool:
    """Return whether two lines have the same meaning; spelling and the place of parts do not matter."""
    return line.raw == other.raw or digest(line) == digest(other)


def branching(lines: Sequence[Line], others: Sequence[Line]) -> int:
    """Return the index of the first differing line, or the length of the shorter list."""
    return sum(1 for _ in takewhile(bool, map(same, lines, others)))


def missing_lines(others: Iterable[Line], lines: Iterable[Line]) -> list[Line]:
    """Return the lines that `others` lacks; a repeated line must be repeated there too."""
    unmatched = Counter(map(digest, others))
    more = []
    for line in lines:
        if unmatched[digest(line)]:
            unmatched[digest(line)] -= 1
        else:
            more.append(line)
    return more


def digest(line: Line) -> str:
    """Return a hash of a line's meaning; a header's excludes id and parent."""
    if line.record is None:
        payload = line.raw
    elif type_of(line) == "session":
        header = {key: value for key, value in line.record.data.items() if key not in _NOT_COMPARED}
        if isinstance(header.get("imported"), dict):
            items = header["imported"].items()
            header["imported"] = sorted(item for item in items if item[0] not in _OF_THE_MACHINE)
        payload = dumps(sorted(header.items()))
    else:
        payload = content(line.record)
    return hashlib.sha256(payload).hexdigest()


def time_of(line: Line) -> str:
    """Return the time when a line was written, or ""."""
    data = line.record.data if line.record is not None else {}
    return timestamp(data.get("ts", data.get("createdAt", data.get("created")))) or ""
