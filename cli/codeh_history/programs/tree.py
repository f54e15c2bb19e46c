"""Trees of messages that name their parents: the way to a leaf, and the branches beside it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Generic, NamedTuple, Protocol, TypeVar

from .model import Entry, Session, Used
from .records import session_id

MOST = 200  # branches of a file that are read; what more there are is counted
BEYOND = f"branch beyond the newest {MOST}"
_OF_A_RESPONSE = ("provider", "model", "response", "usage")


class Node(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def parent(self) -> str | None: ...


class Placed(Node, Protocol):
    """A node that knows its place in the file."""

    number: int


class Plain(NamedTuple):
    """A message as its tree knows it."""

    id: str
    parent: str | None


N = TypeVar("N", bound=Node)
P = TypeVar("P", bound=Placed)
T = TypeVar("T")


class Broken(NamedTuple, Generic[P]):
    """A parent that is not there: its node, and the one that is taken for the parent."""

    node: P
    instead: P | None
    why: str

    @property
    def mended(self) -> str:
        """How it was read all the same."""
        return f"taken to follow line {self.instead.number}" if self.instead else "taken as the first"


def way(parents: Mapping[str, str | None], leaf: str) -> list[str]:
    """From the first known ancestor to the leaf; a circle ends where it began."""
    ids: dict[str, None] = {}
    at: str | None = leaf
    while at is not None and at in parents and at not in ids:
        ids[at] = None
        at = parents[at]
    return list(reversed(ids))


def walk(
    nodes: Mapping[str, P],
    leaf: P,
    beside: Callable[[P], Sequence[P]],
    before: Callable[[P, set[str]], P | None] = lambda *_: None,
) -> tuple[list[P], list[Broken[P]]]:
    """The nodes from the first to a leaf, and where a parent is missing.

    Where it is, the nearest one before among those `beside` the node stands in. `before`: what a node
    without a parent goes on from, by the ids that were met.
    """
    path: list[P] = []
    broken: list[Broken[P]] = []
    seen: set[str] = set()
    at: P | None = leaf
    while at is not None:
        path.append(at)
        seen.add(at.id)
        if at.parent is None:
            at = before(at, seen)
            continue
        parent = nodes.get(at.parent)
        if parent is None or parent.id in seen:
            why = "is not in the file" if parent is None else "comes from it"
            parent = nearest(beside(at), at, seen)
            broken.append(Broken(at, parent, why))
        at = parent
    return path[::-1], broken[::-1]


def nearest(talk: Sequence[P], node: P, seen: set[str]) -> P | None:
    """The nearest node before another one in the file that was not met yet."""
    at = bisect_left(talk, node.number, key=lambda one: one.number) - 1
    while at >= 0 and talk[at].id in seen:
        at -= 1
    return talk[at] if at >= 0 else None


# -- branches ----------------------------------------------------------------------------------------------


def others(
    session: Session,
    parents: Mapping[str, str | None],
    live: list[str],
    fill: Callable[[Session, list[str]], object],
) -> Iterator[Session]:
    """The branches beside the live one as sessions of their own; `fill` adds what stands on a way."""
    nodes = {id: Plain(id, parent) for id, parent in parents.items()}
    above = set(parents.values())
    leaves = [node for node in nodes.values() if node.id not in above]

    def made(own: list[Plain]) -> Session:
        branch = branch_of(session, own[0].id[:8])
        fill(branch, way(parents, own[-1].id))
        return branch

    yield from branches(apart(leaves, nodes, set(live)), made, session)


def apart(
    talk: Sequence[N],
    nodes: Mapping[str, N],
    used: set[str],
    whole: Callable[[N], Iterable[N]] = lambda _: (),
) -> Iterator[list[N]]:
    """Of each branch that is not used the nodes that no later one has, from the first on.

    `talk`: where a branch may end, in the order of the file; `whole`: all that a branch takes in which
    ends there. The newest branch comes first.
    """
    seen = set(used)
    count = 0
    for leaf in reversed(talk):
        own: list[N] = []
        at: N | None = leaf
        while at is not None and at.id not in seen:
            seen.add(at.id)
            own.append(at)
            at = nodes.get(at.parent or "")
        if own:
            count += 1
            if count <= MOST:
                seen.update(node.id for node in whole(leaf))
            yield own[::-1]


def branches(newest: Iterable[T], make: Callable[[T], Session], session: Session) -> Iterator[Session]:
    """The sessions that are made of the newest branches; the last says how many more there are."""
    rest = iter(newest)
    last: Session | None = None
    for one in islice(rest, MOST):
        branch = make(one)
        if _placed(branch, session):
            if last is not None:
                yield last
            last = branch
    if last is not None:
        last.leave(BEYOND, sum(1 for _ in rest))
        yield last


def branch_of(session: Session, id: str) -> Session:
    """An empty session for a branch of another one."""
    branch = Session(session.program, f"{session.id}-{id}", session.version, cwd=session.cwd)
    branch.set_parent(session_id(session))
    return branch


def _placed(branch: Session, session: Session) -> bool:
    """Say where a branch left its session, by the last item both have; whether it has any of its own."""
    shared = {item.id for item in session.items}
    common = [item.id for item in branch.items if item.id in shared]
    if branch.parent is not None and common:
        branch.parent = {**branch.parent, "at": common[-1]}
    branch.created = next((item.ts for item in branch.items if item.ts), None)
    return len(common) < len(branch.items)


def used(session: Session) -> Iterator[Used]:
    """What the responses of a session used, for the one that it worked for; its own sub-agents too."""
    for item in session.items:
        if isinstance(item, Entry) and "usage" in item.fields:
            yield Used(item.id, item.ts, {k: item.fields[k] for k in _OF_A_RESPONSE if k in item.fields})
    yield from session.used()
