"""Repair lines in which a crash replaced bytes by zeros, from another copy of the session."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..session.redactions import Line
from .log import Log, same

_KEPT = re.compile(rb"[^\0]+")


def repaired(log: Log, other: Log) -> tuple[Log, Log]:
    """Return both logs, with each zeroed line restored from the same position of the other log."""
    mine, theirs = log.lines, other.lines
    if not any(_is_zeroed(line) for line in (*mine, *theirs)):
        return log, other
    counted = {id(line) for line in (*log.compared(other.commits), *other.compared(log.commits))}
    new, others = list[Line](), list[Line]()
    at = other_at = 0
    while at < len(mine) and other_at < len(theirs):
        if count := _was(mine[at], theirs, other_at):
            new += theirs[other_at : other_at + count]
            others += theirs[other_at : other_at + count]
            at, other_at = at + 1, other_at + count
        elif count := _was(theirs[other_at], mine, at):
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


def _was(damaged: Line, lines: Sequence[Line], start: int) -> int:
    """Return how many of the other lines, from `start` on, the damaged line replaced; 0 if none."""
    if not _is_zeroed(damaged):
        return 0
    raw, text, end = damaged.raw, b"", start
    while len(text) < len(raw) and end < len(lines):
        text += lines[end].raw + b"\n"
        end += 1
    whole = len(raw) in (len(text) - 1, len(text))
    kept = all(text[part.start() : part.end()] == part[0] for part in _KEPT.finditer(raw))
    return end - start if whole and kept else 0
