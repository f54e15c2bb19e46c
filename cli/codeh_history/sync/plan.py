"""Plan a sync of two stores: the sessions to write, and those to leave unchanged. Pure.

Two copies of a session are merged: one branch keeps the name, and another becomes a fork.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import NamedTuple

from ..base.words import LONGEST_ID
from ..session.model import PLACING
from ..session.records import dumps
from ..session.redactions import Line
from .log import QUIET, Log, digest, missing_lines, read, redacted, time_of, type_of

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


UNFINISHED = "a stream in it is unfinished"
Store = Mapping[str, bytes]  # the sessions of a store
Busy = Mapping[str, str]  # sessions that cannot be changed now → the reason


@dataclass(frozen=True)
class Write:
    """A session to write, replacing `before` (None: create it).

    `lines` is the number of new lines; `switched`: another branch took its name.
    """

    replica: int
    session: str
    before: bytes | None
    after: bytes
    lines: int = 0
    switched: bool = False


@dataclass(frozen=True)
class Plan:
    """The writes, ordered so that nothing is lost in between; `left`: unchanged sessions → the reason."""

    writes: list[Write] = field(default_factory=list)
    forks: list[tuple[str, str]] = field(default_factory=list)  # session and fork, new in one of the stores
    left: dict[str, str] = field(default_factory=dict)


def plan(stores: Sequence[Store], busy: Sequence[Busy] = ({}, {})) -> Plan:
    """Plan how to make a session and its forks equal in two stores; empty if they are equal. Pure."""
    names = sorted({name for store in stores for name in store})
    originals = [{name: read(data) for name, data in store.items()} for store in stores]
    cleaned = iter(redacted([log for store in originals for log in store.values()]))
    clean = [{name: next(cleaned) for name in store} for store in originals]
    ended = set[str]().union(*(log.ended for store in clean for log in store.values()))
    left: dict[str, str] = {}
    while True:
        logs, forks, blocked = _resolved(clean, names, left)
        writes: list[Write] = []
        for (replica, store), (name, new) in product(enumerate(stores), logs.items()):
            old = clean[replica].get(name)
            if old is None:
                writes.append(Write(replica, name, None, new.data, len(new.lines)))
            elif (changes := _changes(old, new)) is not None:
                extra, lost = changes
                streams = old.unfinished_streams(ended)
                if name in busy[replica]:
                    blocked.setdefault(name, busy[replica][name])
                elif any(old.stream(line) in streams for line in lost):
                    blocked.setdefault(name, UNFINISHED)
                writes.append(Write(replica, name, store[name], new.data, len(extra), switched=bool(lost)))
            elif old is not originals[replica][name]:
                writes.append(Write(replica, name, store[name], old.data))
        if not blocked:
            break
        left |= blocked
    written = {write.session for write in writes}
    forks = [(name, fork) for name, fork in forks if fork in written]
    return Plan(sorted(writes, key=_order), list(dict.fromkeys(forks)), left)


def _changes(old: Log, new: Log) -> tuple[list[Line], list[Line]] | None:
    """Return the lines that a log gets and loses if another replaces it; None if they are equivalent."""
    _, mine, theirs = old.branches(new)
    headers = {log.header.raw for log in (old, new) if log.header is not None}
    if not mine and not theirs and len(headers) < 2 and old.redactions == new.redactions:
        return None
    return missing_lines(mine, theirs), missing_lines(theirs, mine)


def _order(write: Write) -> tuple[bool, int, str, int]:
    """Return a write's sort key: those that lose nothing first, then forks (longer names) first."""
    return write.switched, -len(write.session), write.session, write.replica


def _resolved(
    stores: Sequence[Mapping[str, Log]], names: Iterable[str], left: Mapping[str, str]
) -> tuple[dict[str, Log], list[tuple[str, str]], dict[str, str]]:
    """Merge each session not in `left`; return the logs, the forks, and reasons not to write some."""
    logs: dict[str, Log] = {}
    forks: list[tuple[str, str]] = []
    blocked: dict[str, str] = {}
    incoming: defaultdict[str, list[Log]] = defaultdict(list)  # fork → branches of other sessions
    waiting = [name for name in names if name not in left]
    while waiting:
        name = waiting.pop(0)
        copies = [store[name] for store in stores if name in store]
        logs[name], branches = _merged_copies(name, copies + incoming[name])
        for fork in branches:
            forks.append((name, fork.name))
            if fork.name in left:
                blocked[name] = f"its fork {fork.name} is left alone: {left[fork.name]}"
            elif fork.log.data not in [log.data for log in incoming[fork.name]]:
                incoming[fork.name].append(fork.log)
                waiting.append(fork.name)
    return logs, forks, blocked


def _merged_copies(name: str, logs: list[Log]) -> tuple[Log, list[Fork]]:
    """Merge copies of a session; return its log and the branches that become forks."""
    logs.sort(key=lambda log: root_of(name, log) == name)  # a fork's own branch comes first
    forks = []
    while len(logs) > 1:
        pairs = [(one, two, merged(name, one, two)) for one, two in combinations(logs, 2)]
        # quiet branches come last, because they are appended to the branch that keeps the name
        first, second, result = min(pairs, key=lambda three: three[2].appended)
        logs = [result.log, *(log for log in logs if log is not first and log is not second)]
        forks += [result.fork] if result.fork is not None else []
    return logs[0], forks
