"""Merge two copies of a session: one branch keeps the name, and another becomes a fork."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..base.words import LONGEST_ID
from ..session.model import PLACING
from ..session.records import dumps
from ..session.redactions import Line
from .log import QUIET, Log, digest, missing_lines, time_of, type_of

_FORK = re.compile(r"(.+)-([0-9a-f]{8})")
_HASH = 8  # digits of the hash in a fork's name


class Fork(NamedTuple):
    """A branch that does not keep the name, as a new session."""

    name: str
    log: Log


class Merged(NamedTuple):
    """The merged session, and the branch that became a fork."""

    log: Log
    fork: Fork | None = None
    appended: bool = False  # whether a quiet branch was appended


def merged(name: str, log: Log, other: Log) -> Merged:
    """Return the longer log or, if the logs branched, the branch that keeps the name.

    The other branch becomes a fork, or is appended if it has no new messages. The result does not depend on
    the order of the logs.
    """
    log, other = repaired(log, other)
    common, mine, theirs = log.branches(other)
    redactions = log.redactions | other.redactions
    if not mine or not theirs:
        longer, shorter = (other, log) if theirs else (log, other)
        return Merged(Log(_with_header(longer, shorter), redactions))
    if _rank(mine, theirs[0]) > _rank(theirs, mine[0]):
        log, other, mine, theirs = other, log, theirs, mine
    if is_quiet(theirs):
        missing = [line for line in missing_lines(mine, theirs) if type_of(line) != "session"]
        lines = _with_header(log, other) if common else log.lines
        return Merged(Log([*lines, *missing], redactions), appended=True)
    root, at = root_of(name, log, other), other.lines.index(theirs[0])
    fork = _fork(root, other, at, same_name=mine[0].name == theirs[0].name)
    if fork.name == name:  # the preceding lines differ only in deltas
        fork = _fork(root, other, at, same_name=True)
    return Merged(Log(log.lines, redactions), fork)


def is_quiet(branch: Iterable[Line]) -> bool:
    """Return whether a branch has no new messages: only summaries, compactions and settings."""
    return all(type_of(line) in QUIET or type_of(line) == "session" for line in branch)


def _rank(branch: Sequence[Line], against: Line) -> tuple[bool, str, str]:
    """Return the sort key of a branch; the lowest keeps the name: not quiet, begun first, lowest hash.

    The hash is of the first line's name, which a redaction does not change; if both branches' first lines
    have the same name, it is of the content.
    """
    first = branch[0]
    name = digest(first) if first.name == against.name else hashlib.sha256(first.name.encode()).hexdigest()
    return is_quiet(branch), time_of(first), name


def _with_header(log: Log, other: Log) -> Sequence[Line]:
    """Return the lines with the lower of two equivalent headers, so that all stores choose the same."""
    mine, theirs = log.header, other.header
    if mine is None or theirs is None or mine.raw <= theirs.raw:
        return log.lines
    return [Line(mine.name, theirs.raw, theirs.record), *log.lines[1:]]


# -- zeroed lines -----------------------------------------------------------------------------------


def repaired(log: Log, other: Log) -> tuple[Log, Log]:
    """Return both logs; restore lines that a crash filled with zeros from the other log."""
    for _ in range(2):  # a line may be recognised only after the one before it is restored
        log, other = _restored(log, other), _restored(other, log)
    return log, other


def _restored(log: Log, other: Log) -> Log:
    if not any(map(_is_zeroed, log.lines)):
        return log
    after = {line.name: number for number, line in enumerate(other.lines, 1)}
    lines: list[Line] = []
    for line in log.lines:
        start = after.get(lines[-1].name, len(other.lines)) if lines else 0
        originals = _originals(line.raw, other.lines[start:]) if _is_zeroed(line) else ()
        lines += originals or [line]
    return Log(lines, log.redactions)


def _is_zeroed(line: Line) -> bool:
    return line.record is None and b"\0" in line.raw


def _originals(zeroed: bytes, lines: Sequence[Line]) -> Sequence[Line]:
    """Return the first of these lines that are the zeroed bytes, or none."""
    text, count = b"", 0
    while len(text) < len(zeroed) and count < len(lines):
        text += lines[count].raw + b"\n"
        count += 1
    is_whole = len(zeroed) in (len(text) - 1, len(text))
    kept = all(byte in (0, other) for byte, other in zip(zeroed, text, strict=False))
    return lines[:count] if is_whole and kept else ()


# -- names of forks -----------------------------------------------------------------------------------


def root_of(name: str, *logs: Log) -> str:
    """Return the session from which a fork branched, or `name` for any other session.

    The fork of two unrelated sessions is recognised by its first line.
    """
    match = _FORK.fullmatch(name)
    if match is not None and any(match[2] in pair for log in logs for pair in _hashes(log.lines)):
        return match[1]
    return name


def _hashes(lines: Iterable[Line]) -> Iterator[tuple[str, str]]:
    """Yield, for each line, the hashes in the name of a fork that begins with it.

    The second is for branches whose first lines have the same name. Names that are not the same in every
    copy, or that are missing without deltas, do not count.
    """
    before = hashlib.sha256()
    for line in lines:
        by_name, by_content = before.copy(), before.copy()
        by_name.update(line.name.encode())
        by_content.update(f"{line.name} {digest(line)}".encode())
        yield by_name.hexdigest()[:_HASH], by_content.hexdigest()[:_HASH]
        if type_of(line) not in ("", "delta"):
            before.update(f"{line.name}\n".encode())


def _fork(root: str, log: Log, at: int, *, same_name: bool) -> Fork:
    """Return the branch from line `at` on as a new session; `same_name`: as that of the other branch."""
    *_, hashes = _hashes(log.lines[: at + 1])
    name = f"{root[: LONGEST_ID - _HASH - 1]}-{hashes[same_name]}"
    header = log.header
    if header is None or header.record is None:
        return Fork(name, log)
    data = {**header.record.data, "id": name}
    if at:  # else the sessions are unrelated
        placed = (line.record for line in reversed(log.lines[:at]) if type_of(line) in PLACING)
        last = next((record.data["id"] for record in placed if record), None)
        data["parent"] = {"session": root, "at": last}
    return Fork(name, Log([Line(header.name, dumps(data), header.record), *log.lines[1:]], log.redactions))
