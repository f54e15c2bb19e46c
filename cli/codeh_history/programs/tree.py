"""Trees of messages that name their parents: the way from the root to a leaf."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from . import branches
from .model import Session


class Node(NamedTuple):
    """A message as its tree knows it."""

    id: str
    parent: str | None


def way(parents: Mapping[str, str | None], leaf: str) -> list[str]:
    """From the first known ancestor to the leaf; a circle ends where it began."""
    found: dict[str, None] = {}
    at: str | None = leaf
    while at is not None and at in parents and at not in found:
        found[at] = None
        at = parents[at]
    return list(reversed(found))


def others(
    session: Session,
    parents: Mapping[str, str | None],
    live: list[str],
    fill: Callable[[Session, list[str]], object],
) -> Iterator[Session]:
    """The branches beside the live one as sessions of their own; `fill` adds what stands on a way."""
    nodes = {id: Node(id, parent) for id, parent in parents.items()}
    above = set(parents.values())
    leaves = [node for node in nodes.values() if node.id not in above]

    def made(own: list[Node]) -> Session:
        branch = branches.of(session, own[0].id[:8])
        fill(branch, way(parents, own[-1].id))
        return branch

    yield from branches.read(branches.apart(leaves, nodes, set(live), lambda _: ()), made, session)
