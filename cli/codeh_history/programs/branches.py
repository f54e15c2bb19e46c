"""What of a tree is not on the branch that goes on: other branches, each as far as it is its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol, TypeVar

from .model import Entry, Session, Used
from .records import session_id

MOST = 200  # branches of a file that are read; what more there are is counted
BEYOND = f"branch beyond the newest {MOST}"


class Node(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def parent(self) -> str | None: ...


_OF_A_RESPONSE = ("provider", "model", "response", "usage")
N = TypeVar("N", bound=Node)
T = TypeVar("T")


def apart(
    talk: Sequence[N], nodes: Mapping[str, N], used: set[str], whole: Callable[[N], Iterable[N]]
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


def read(
    found: Iterable[T], make: Callable[[T], Session], session: Session, most: int = MOST
) -> Iterator[Session]:
    """The sessions that are made of the newest branches; the last says how many more there are."""
    rest = iter(found)
    last: Session | None = None
    for one in islice(rest, most):
        made = make(one)
        if placed(made, session):
            if last is not None:
                yield last
            last = made
    if last is not None:
        last.leave(BEYOND, sum(1 for _ in rest))
        yield last


def of(session: Session, id: str) -> Session:
    """An empty session for a branch of another one."""
    made = Session(session.program, f"{session.id}-{id}", session.version, cwd=session.cwd)
    made.below(session_id(session))
    return made


def placed(made: Session, session: Session) -> bool:
    """Say where a branch left its session, by the last item both have; whether it has any of its own."""
    shared = {item.id for item in session.items}
    common = [item.id for item in made.items if item.id in shared]
    if made.parent is not None and common:
        made.parent = {**made.parent, "at": common[-1]}
    made.created = next((item.ts for item in made.items if item.ts), None)
    return len(common) < len(made.items)


def used(session: Session) -> Iterator[Used]:
    """What the responses of a session used, for the one that it worked for; its own sub-agents too."""
    for item in session.items:
        if isinstance(item, Entry) and "usage" in item.fields:
            given = {key: item.fields[key] for key in _OF_A_RESPONSE if key in item.fields}
            yield Used(item.id, item.ts, given)
    yield from session.used()
