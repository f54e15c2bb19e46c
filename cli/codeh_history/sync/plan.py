"""Plan a sync of two stores: the sessions to write, and those to leave unchanged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ..session.redactions import Line
from .log import Log, branching, missing_lines, read, same
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
    lines: int
    switched: bool


@dataclass(frozen=True)
class Plan:
    """The writes, ordered so that nothing is lost in between; `left`: unchanged sessions → the reason."""

    writes: list[Write] = field(default_factory=list)
    forks: list[tuple[str, str]] = field(default_factory=list)  # session and fork, new in one of the stores
    left: dict[str, str] = field(default_factory=dict)


def plan(stores: Sequence[Store], busy: Sequence[Busy] = ({}, {})) -> Plan:
    """Plan how to make a session and its forks equal in two stores; empty if they are equal. Pure."""
    names = sorted({name for store in stores for name in store})
    read_in = [{name: read(data) for name, data in store.items()} for store in stores]
    clean_logs = iter(redacted([log for store in read_in for log in store.values()]))
    clean = [{name: next(clean_logs) for name in store} for store in read_in]
    left: dict[str, str] = {}
    while True:
        logs, forks, blocked = _resolved(clean, names, left)
        for name, why in _blocked(clean, logs, busy):
            blocked.setdefault(name, why)
        if not blocked:
            break
        left |= blocked
    writes = list(_writes(stores, read_in, clean, logs))
    written = {write.session for write in writes}
    forks = [(name, fork) for name, fork in forks if fork in written]
    return Plan(sorted(writes, key=_order), list(dict.fromkeys(forks)), left)


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
    seen: set[tuple[str, tuple[bytes, ...]]] = set()
    waiting = [name for name in names if name not in left]
    while waiting:
        name = waiting.pop(0)
        copies = [store[name] for store in stores if name in store]
        logs[name], branches = _merged(name, copies + incoming[name])
        for fork in branches:
            branch = (fork.name, tuple(line.raw for line in fork.log.lines))
            forks.append((name, fork.name))
            if fork.name in left:
                blocked[name] = f"its fork {fork.name} is left alone: {left[fork.name]}"
            elif branch not in seen:
                seen.add(branch)
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


def _blocked(
    stores: Sequence[Mapping[str, Log]], logs: Mapping[str, Log], busy: Sequence[Busy]
) -> Iterable[tuple[str, str]]:
    """Yield the sessions that cannot be changed as planned, and the reasons."""
    ended = set[str]().union(*(log.ended for store in stores for log in store.values()))
    for replica, store in enumerate(stores):
        for name, new in logs.items():
            old = store.get(name)
            if old is None:
                continue
            if name in busy[replica] and not _equal(old, new):
                yield name, busy[replica][name]
                continue
            streams = old.unfinished_streams(ended)
            if streams and any(old.root(line) in streams for line in _extra_lines(new, old)):
                yield name, UNFINISHED


def _equal(log: Log, other: Log) -> bool:
    """Return whether two logs are equivalent, so that neither needs to be written."""
    mine, theirs = log.compared(other.commits), other.compared(log.commits)
    if len(mine) != len(theirs) or log.redactions != other.redactions:
        return False
    different = log.header and other.header and log.header.raw != other.header.raw
    return not different and all(map(same, mine, theirs))


def _extra_lines(old: Log, new: Log) -> list[Line]:
    """Return the lines that `old` has and `new` lacks."""
    mine, theirs = old.compared(new.commits), new.compared(old.commits)
    at = branching(mine, theirs)
    return missing_lines(mine[at:], theirs[at:])


def _writes(
    stores: Sequence[Store],
    before: Sequence[Mapping[str, Log]],
    clean: Sequence[Mapping[str, Log]],
    logs: Mapping[str, Log],
) -> Iterable[Write]:
    """Yield the writes that each store needs; an equivalent log keeps its bytes."""
    for replica, store in enumerate(stores):
        for name, new in logs.items():
            old = clean[replica].get(name)
            if old is None:
                yield Write(replica, name, None, new.data, len(new.lines), switched=False)
            elif not _equal(old, new):
                extra, lost = _extra_lines(old, new), _extra_lines(new, old)
                yield Write(replica, name, store[name], new.data, len(extra), switched=bool(lost))
            elif old is not before[replica][name]:
                yield Write(replica, name, store[name], old.data, 0, switched=False)
