"""A session's log as it is compared with another copy of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from ..session.live import content
from ..session.model import Json
from ..session.records import dumps
from ..session.redactions import REDACTION, Line, joined, named
from ..session.rules import PLACING, STREAMING
from ..session.view import timestamp

QUIET = frozenset(("summary", "compaction", "meta"))  # a branch of these alone has nothing that is said
_NOT_COMPARED = frozenset(("id", "parent"))  # of a header: a fork is a copy under another id
_OF_THE_MACHINE = frozenset(("path", "version"))  # of what a header says of another program's file
Commits = Mapping[str, int]  # of each stream: how often it was committed


class Log:
    """The lines of a session without its redactions, which stand apart.

    `lines` keep their order and their bytes: damaged lines and deltas of committed streams too, which are
    not compared.
    """

    def __init__(self, lines: Sequence[Line], redactions: Iterable[bytes] = ()) -> None:
        self.lines = lines
        self.redactions = frozenset(redactions)

    @property
    def header(self) -> Line | None:
        return self.lines[0] if self.lines and kind_of(self.lines[0]) == "session" else None

    @cached_property
    def roots(self) -> dict[str, str]:
        """Streams and updates of them → their stream."""
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
        return Counter(self.root(line) for line in self.lines if kind_of(line) == "commit")

    @cached_property
    def ended(self) -> set[str]:
        """The streams that were committed or aborted."""
        return {self.root(line) for line in self.lines if kind_of(line) in ("commit", "abort")}

    def root(self, line: Line) -> str:
        """The stream that a line opens or belongs to; empty for any other line."""
        if line.record is None or not (kind_of(line) == "open" or kind_of(line) in STREAMING):
            return ""
        of = str(line.record.data["id" if kind_of(line) == "open" else "of"])
        return self.roots.get(of, of)

    def going_on(self, ended: AbstractSet[str]) -> set[str]:
        """The streams at its end that are not ended; one after which more was said was given up."""
        streams: set[str] = set()
        for line in reversed(self.lines):
            root = self.root(line)
            if root and root not in ended:
                streams.add(root)
            elif kind_of(line) and kind_of(line) not in QUIET:
                break
        return streams

    def compared(self, other: Commits) -> list[Line]:
        """The lines that count: no damage, no delta whose stream is committed after it, here or there."""
        lines: list[Line] = []
        done: Counter[str] = Counter()
        for line in self.lines:
            kind = kind_of(line)
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
        """The session's bytes, its redactions after the first line."""
        return b"".join(text + b"\n" for text in joined([line.raw for line in self.lines], self.redactions))


def read(data: bytes) -> Log:
    """The log that these bytes are; a torn last line is none."""
    lines = named(data)
    apart = [line.raw for line in lines if kind_of(line) == REDACTION]
    return Log([line for line in lines if kind_of(line) != REDACTION] if apart else lines, apart)


def kind_of(line: Line) -> str:
    """The type of its record; empty for a damaged line."""
    return str(line.record.data["type"]) if line.record is not None else ""


def same(line: Line, other: Line) -> bool:
    """Whether two lines say the same, however they are spelled and wherever their parts lie."""
    return line.raw == other.raw or digest(line) == digest(other)


def branching(lines: Sequence[Line], others: Sequence[Line]) -> int:
    """The place of the first line that differs, or the end of the shorter."""
    pairs = zip(lines, others, strict=False)
    return next((at for at, pair in enumerate(pairs) if not same(*pair)), min(len(lines), len(others)))


def beyond(others: Iterable[Line], lines: Iterable[Line]) -> list[Line]:
    """Those of the lines that are not there, however often they are."""
    held = Counter(map(digest, others))
    more = []
    for line in lines:
        if held[digest(line)]:
            held[digest(line)] -= 1
        else:
            more.append(line)
    return more


def digest(line: Line) -> str:
    """What a line says, as a hash; a header's without its id and its parent."""
    if line.record is None:
        return hashlib.sha256(line.raw).hexdigest()
    if kind_of(line) == "session":
        payload = dumps(sorted(_header(line.record.data).items()))
    else:
        payload = content(line.record)
    return hashlib.sha256(payload).hexdigest()


def _header(data: Json) -> Json:
    header = {key: value for key, value in data.items() if key not in _NOT_COMPARED}
    if isinstance(header.get("imported"), dict):
        header["imported"] = sorted(
            item for item in header["imported"].items() if item[0] not in _OF_THE_MACHINE
        )
    return header


def time_of(line: Line) -> str:
    """When a line was written; empty where it does not say."""
    data = line.record.data if line.record is not None else {}
    return timestamp(data.get("ts", data.get("createdAt", data.get("created")))) or ""


def places(line: Line) -> bool:
    """Whether it brings in a message."""
    return kind_of(line) in PLACING
