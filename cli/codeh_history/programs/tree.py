"""Trees of messages, each with its parent's id: the path to a leaf, and the other branches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Generic, NamedTuple, TypeVar

from .fields import hash_id, omit_empty
from .model import SUB_AGENTS, AgentUsage, Entry, Item, Session
from .protocol import Program, Source, Unreadable

MAX_BRANCHES = 200  # branches read from a file; further ones are counted
BEYOND = f"branch beyond the newest {MAX_BRANCHES}"
_OF_A_RESPONSE = ("provider", "model", "response", "usage")


@dataclass(eq=False, slots=True)
class Node:
    """A message in a tree: its id, its parent's id, and its position in the file."""

    id: str
    parent: str | None
    number: int


N = TypeVar("N", bound=Node)
T = TypeVar("T")


class Broken(NamedTuple, Generic[N]):
    """A node without a valid parent, and the node used as its parent."""

    node: N
    instead: N | None
    why: str


def walk(
    nodes: Mapping[str, N],
    leaf: N,
    candidates: Callable[[N], Sequence[N]] | None = None,
    before: Callable[[N, set[str]], N | None] = lambda *_: None,
) -> tuple[list[N], list[Broken[N]]]:
    """Return the nodes from the root to a leaf, and the nodes whose parent is missing or a descendant.

    Such a parent is replaced by the nearest earlier node among the `candidates` (default: all nodes).
    `before` returns the node that precedes a root, from the ids on the path so far.
    """
    in_order = list(nodes.values())
    path: list[N] = []
    broken: list[Broken[N]] = []
    seen: set[str] = set()
    at: N | None = leaf
    while at is not None:
        path.append(at)
        seen.add(at.id)
        if at.parent is None:
            at = before(at, seen)
            continue
        parent = nodes.get(at.parent)
        if parent is None or parent.id in seen:
            why = "is not in the file" if parent is None else "descends from it"
            parent = nearest(candidates(at) if candidates else in_order, at, seen)
            broken.append(Broken(at, parent, why))
        at = parent
    return path[::-1], broken[::-1]


def nearest(talk: Sequence[N], node: N, seen: set[str]) -> N | None:
    """The nearest earlier node in the file that is not in `seen`."""
    before = talk[: bisect_left(talk, node.number, key=lambda other: other.number)]
    return next((other for other in reversed(before) if other.id not in seen), None)


def report_broken(
    session: Session, broken: Iterable[Broken[N]], talk: Iterable[int], title: str, unless: str = ""
) -> None:
    """Add a problem for each missing parent: how many of the messages on the lines `talk` would be sent."""
    lines = sorted(talk)
    for node, instead, why in broken:
        sent = len(lines) - bisect_left(lines, node.number)
        costs = f": {title} would send {sent} of {len(lines)} messages{unless}"
        if instead is None and sent == len(lines):
            costs = ", which lacks everything before it"
        place = f"following line {instead.number}" if instead else "the first message"
        reason = f"its parent {(node.parent or '')[:8]}… {why}{costs}"
        session.problem(node.number, "forgets", reason, f"treated as {place}")


# -- branches ----------------------------------------------------------------------------------------------


def read_tree(
    session: Session,
    nodes: Mapping[str, N],
    leaf: N,
    ends: Sequence[N],
    fill: Callable[[Session, list[N]], object],
    report: Callable[[list[N], list[Broken[N]]], object],
    name: Callable[[list[N]], str] = lambda tail: tail[0].id[:8],
) -> list[N]:
    """Read the branch that ends at a leaf; return its nodes.

    `fill` adds the messages of these nodes to a session, and `report` the problems of missing parents. The
    other branches, which end at one of `ends`, become `session.branches`.
    """
    path, broken = walk(nodes, leaf)
    report(path, broken)
    fill(session, path)
    live = {node.id for node in path}

    def fill_branch(branch: Session, tail: list[N]) -> None:
        fill(branch, walk(nodes, tail[-1])[0])
        branch.problems.clear()

    session.branches = lambda: branches(session, own_nodes(ends, nodes, live), fill_branch, name)
    return path


def read_exported(
    session: Session,
    nodes: Mapping[str, Node],
    current: str | None,
    fill: Callable[[Session, list[Node]], object],
) -> set[str]:
    """Read the branch of an export that ends at `current`, else at the last leaf; return its ids."""
    if not nodes:
        return set()

    def report(_path: list[Node], broken: list[Broken[Node]]) -> None:
        for node, instead, _ in broken:
            why = f"the parent of {node.id}, {node.parent}, is not in the export"
            session.problem(0, "forgets", why, f"treated as following {instead.id}" if instead else None)

    parents = {node.parent for node in nodes.values()}
    leaves = [node for node in nodes.values() if node.id not in parents] or [*nodes.values()]
    leaf = nodes.get(current or "", leaves[-1])
    if current and leaf.id != current:
        session.problem(0, "forgets", f"its current node, {current}, is missing", f"read up to {leaf.id}")
    return {node.id for node in read_tree(session, nodes, leaf, leaves, fill, report)}


def own_nodes(
    talk: Sequence[N],
    nodes: Mapping[str, N],
    used: set[str],
    whole: Callable[[N], Iterable[N]] = lambda _: (),
) -> Iterator[list[N]]:
    """Yield the nodes of each branch that are neither in `used` nor in a newer branch, newest branch first.

    `talk`: nodes that may end a branch, in file order. `whole` returns all nodes that belong to a branch
    with this end.
    """
    seen = set(used)
    for leaf in reversed(talk):
        tail: list[N] = []
        at: N | None = leaf
        while at is not None and at.id not in seen:
            seen.add(at.id)
            tail.append(at)
            at = nodes.get(at.parent or "")
        if tail:
            seen.update(node.id for node in whole(leaf))
            yield tail[::-1]


def branches(
    session: Session,
    newest: Iterable[T],
    fill: Callable[[Session, T], object],
    name: Callable[[T], str],
) -> Iterator[Session]:
    """Yield the newest branches as sessions filled by `fill`; the last one counts the unread rest."""
    rest, ids = iter(newest), {item.id for item in session.items}
    last: Session | None = None
    for content in islice(rest, MAX_BRANCHES):
        branch = Session(session.program, f"{session.id}-{name(content)}", session.version, cwd=session.cwd)
        fill(branch, content)
        shared = [item.id for item in branch.items if item.id in ids]
        if len(shared) < len(branch.items):
            branch.set_parent(session.id, shared[-1] if shared else None, agent=branch.agent)
            branch.created = next((item.ts for item in branch.items if item.ts), None)
            if last is not None:
                yield last
            last = branch
    if last is not None:
        last.skip(BEYOND, sum(1 for _ in rest))
        yield last


def undone_branches(session: Session, before: Iterable[list[Item]]) -> Iterator[Session]:
    """Yield undone branches, newest first, from the items of the session `before` each undo."""

    def fill(branch: Session, items: list[Item]) -> None:
        branch.items = items

    return branches(session, before, fill, lambda items: hash_id(items[-1].id)[:8] if items else "nothing")


# -- sub-agents --------------------------------------------------------------------------------------------


def agent_files(source: Source, *folder: str, above: int = 0) -> dict[str, Sequence[str]]:
    """The paths of sub-agents' files in a folder of the session, by id; see `Source.names`."""
    names = source.names(*folder, above=above)
    return {name.removesuffix(".jsonl"): (*folder, name) for name in names if name.endswith(".jsonl")}


def add_agents(
    session: Session,
    source: Source,
    program: Program,
    paths: Mapping[str, Sequence[str]],
    *,
    above: int = 1,
    kind: Callable[[str], str | None] = lambda _: None,
) -> None:
    """Add the sub-agents in these files (see `Source.beside`) to the branches, and count them as skipped.

    `kind` returns the kind of a sub-agent by its id.
    """

    def agents() -> Iterator[Session]:
        for id, path in paths.items():
            with suppress(Unreadable):
                for agent in program.read(Source(source.beside(*path, above=above), id), program):
                    agent.id, agent.agent_name = id, kind(id)
                    yield as_agent(agent, session)

    session.skip(SUB_AGENTS, len(paths))
    others, usage = session.branches, session.agent_usage
    session.branches = lambda: chain(others(), agents())
    session.agent_usage = lambda: chain(usage(), usage_of(agents()))


def as_agent(agent: Session, session: Session) -> Session:
    """Make a session a sub-agent of another."""
    agent.id = f"{session.id}-{agent.id}"
    agent.set_parent(session.id, agent=True)
    return agent


def usage_of(agents: Iterable[Session]) -> Iterator[AgentUsage]:
    """Yield the usage of sub-agents' responses, and of those of their own sub-agents."""
    for agent in agents:
        for item in agent.items:
            if isinstance(item, Entry) and "usage" in item.fields:
                fields = {key: item.fields[key] for key in _OF_A_RESPONSE if key in item.fields}
                tools = [part["functionCall"]["name"] for part in item.parts if "functionCall" in part]
                fields |= omit_empty(agent=agent.agent_name or "sub-agent", tools=tools)
                yield AgentUsage(item.id, item.ts, fields)
        yield from agent.unsent_usage()
