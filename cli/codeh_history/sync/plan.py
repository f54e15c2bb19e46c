"""Plan a sync of two stores: the sessions to write, and those to leave unchanged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from ..session.redactions import Line
from .log import Log, missing_lines, read
from .merge import Fork, merged, root_of
from .redact import redacted

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
        logs[name], branches = _merged(name, copies + incoming[name])
        for fork in branches:
            forks.append((name, fork.name))
            if fork.name in left:
                blocked[name] = f"its fork {fork.name} is left alone: {left[fork.name]}"
            elif fork.log.data not in [log.data for log in incoming[fork.name]]:
                incoming[fork.name].append(fork.log)
                waiting.append(fork.name)
    return logs, forks, blocked


def _merged(name: str, logs: list[Log]) -> tuple[Log, list[Fork]]:
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
