"""Merge two copies of a session: one branch keeps the name, and another becomes a fork."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..base.words import LONGEST_ID
from ..session.records import dumps
from ..session.redactions import Line
from ..session.rules import PLACING
from .log import QUIET, Log, branching, digest, missing_lines, same, time_of, type_of

_FORK = re.compile(r"(.+)-([0-9a-f]{8})")
_HASH = 8  # digits of the hash in a fork's name
_KEPT = re.compile(rb"[^\0]+")


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
    mine, theirs = log.compared(other.commits), other.compared(log.commits)
    redactions = log.redactions | other.redactions
    at = branching(mine, theirs)
    if at == len(mine) or at == len(theirs):
        longer, shorter = (log, other) if len(mine) >= len(theirs) else (other, log)
        return Merged(Log(_with_header(longer, shorter), redactions))
    if _rank(mine[at:], theirs[at]) > _rank(theirs[at:], mine[at]):
        log, other, mine, theirs = other, log, theirs, mine
    if is_quiet(theirs[at:]):
        missing = [line for line in missing_lines(mine[at:], theirs[at:]) if type_of(line) != "session"]
        lines = _with_header(log, other) if at else log.lines
        return Merged(Log([*lines, *missing], redactions), appended=True)
    root, first = root_of(name, log, other), theirs[at]
    fork = _fork(root, other, first, same_name=mine[at].name == first.name)
    if fork.name == name:  # the preceding lines differ only in deltas
        fork = _fork(root, other, first, same_name=True)
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
    mine, theirs = log.lines, other.lines
    if not any(_is_zeroed(line) for line in (*mine, *theirs)):
        return log, other
    counted = {id(line) for line in (*log.compared(other.commits), *other.compared(log.commits))}
    new, others = list[Line](), list[Line]()
    at = other_at = 0
    while at < len(mine) and other_at < len(theirs):
        if count := _replaced_lines(mine[at], theirs, other_at):
            new += theirs[other_at : other_at + count]
            others += theirs[other_at : other_at + count]
            at, other_at = at + 1, other_at + count
        elif count := _replaced_lines(theirs[other_at], mine, at):
            new += mine[at : at + count]
            others += mine[at : at + count]
            at, other_at = at + count, other_at + 1
        elif id(mine[at]) not in counted:
            new.append(mine[at])
            at += 1
        elif id(theirs[other_at]) not in counted:
            others.append(theirs[other_at])
            other_at += 1
        elif same(mine[at], theirs[other_at]):
            new.append(mine[at])
            others.append(theirs[other_at])
            at, other_at = at + 1, other_at + 1
        else:
            break  # the logs branch here
    return Log([*new, *mine[at:]], log.redactions), Log([*others, *theirs[other_at:]], other.redactions)


def _is_zeroed(line: Line) -> bool:
    return line.record is None and b"\0" in line.raw


def _replaced_lines(damaged: Line, lines: Sequence[Line], start: int) -> int:
    """Return the number of other lines, from `start` on, that the damaged line replaced."""
    if not _is_zeroed(damaged):
        return 0
    raw, text, end = damaged.raw, b"", start
    while len(text) < len(raw) and end < len(lines):
        text += lines[end].raw + b"\n"
        end += 1
    whole = len(raw) in (len(text) - 1, len(text))
    kept = all(text[part.start() : part.end()] == part[0] for part in _KEPT.finditer(raw))
    return end - start if whole and kept else 0


# -- names of forks -----------------------------------------------------------------------------------


def root_of(name: str, *logs: Log) -> str:
    """Return the session from which a fork branched, or `name` for any other session.

    The fork of two unrelated sessions is recognised by its first line.
    """
    match = _FORK.fullmatch(name)
    if match is not None and any(_is_named(log, match[2]) for log in logs):
        return match[1]
    return name


def _is_named(log: Log, hashed: str) -> bool:
    before = hashlib.sha256()
    for line in log.lines:
        for own in (line.name, f"{line.name} {digest(line)}"):
            whole = before.copy()
            whole.update(own.encode())
            if whole.hexdigest()[:_HASH] == hashed:
                return True
        if _counts(line):
            before.update(f"{line.name}\n".encode())
    return False


def _counts(line: Line) -> bool:
    """Return whether a line's name is the same in every copy, with or without deltas."""
    return type_of(line) not in ("", "delta")


def _fork(root: str, log: Log, first: Line, *, same_name: bool) -> Fork:
    """Return a branch as a new session; `same_name`: whether both branches' first lines have the same."""
    at = next(number for number, line in enumerate(log.lines) if line is first)
    shared = log.lines[:at]
    names = [line.name for line in shared if _counts(line)]
    own = f"{first.name} {digest(first)}" if same_name else first.name
    hashed = hashlib.sha256("\n".join([*names, own]).encode()).hexdigest()[:_HASH]
    name = f"{root[: LONGEST_ID - _HASH - 1]}-{hashed}"
    header = log.header
    if header is None or header.record is None:
        return Fork(name, log)
    data = {**header.record.data, "id": name}
    if at:  # else the sessions are unrelated
        placed = (line.record for line in reversed(shared) if type_of(line) in PLACING)
        last = next((record.data["id"] for record in placed if record), None)
        data["parent"] = {"session": root, "at": last}
    return Fork(name, Log([Line(header.name, dumps(data), header.record), *log.lines[1:]], log.redactions))
