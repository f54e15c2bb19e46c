"""Trees of messages, each with its parent's id: the path to a leaf, and the other branches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Generic, NamedTuple, TypeVar

from .fields import hash_id, omit_empty
from .model import SUB_AGENTS, AgentUsage, Entry, Item, Session
from .protocol import Program, Source, Unreadable
from .records import session_id

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


def read_exported(
    session: Session,
    nodes: Mapping[str, Node],
    current: str | None,
    fill: Callable[[Session, list[str]], object],
) -> set[str]:
    """Read the branch of an export that ends at `current`, else at the last leaf; return its ids.

    `fill` adds the messages with these ids to a session. The other branches become `session.branches`.
    """
    if not nodes:
        return set()
    parents = {node.parent for node in nodes.values()}
    leaves = [node for node in nodes.values() if node.id not in parents] or [*nodes.values()]
    leaf = nodes.get(current or "")
    if leaf is None:
        leaf = leaves[-1]
        if current:
            why = f"its current node, {current}, is missing"
            session.problem(0, "forgets", why, f"read up to {leaf.id}")
    path, broken = walk(nodes, leaf)
    for node, instead, _ in broken:
        why = f"the parent of {node.id}, {node.parent}, is not in the export"
        session.problem(0, "forgets", why, f"treated as following {instead.id}" if instead else None)
    live = [node.id for node in path]
    fill(session, live)

    def add(branch: Session, tail: list[Node]) -> None:
        fill(branch, [node.id for node in walk(nodes, tail[-1])[0]])

    session.branches = lambda: branches(session, own_nodes(leaves, nodes, set(live)), add)
    return set(live)


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
    count = 0
    for leaf in reversed(talk):
        tail: list[N] = []
        at: N | None = leaf
        while at is not None and at.id not in seen:
            seen.add(at.id)
            tail.append(at)
            at = nodes.get(at.parent or "")
        if tail:
            count += 1
            if count <= MAX_BRANCHES:
                seen.update(node.id for node in whole(leaf))
            yield tail[::-1]


def branches(
    session: Session,
    newest: Iterable[T],
    fill: Callable[[Session, T], object],
    name: Callable[[T], str] = lambda content: content[0].id[:8],  # type: ignore[index]
) -> Iterator[Session]:
    """Yield the newest branches as sessions filled by `fill`; the last one counts the unread rest."""
    rest, ids = iter(newest), {item.id for item in session.items}
    last: Session | None = None
    for content in islice(rest, MAX_BRANCHES):
        branch = Session(session.program, f"{session.id}-{name(content)}", session.version, cwd=session.cwd)
        branch.set_parent(session_id(session))
        fill(branch, content)
        shared = [item.id for item in branch.items if item.id in ids]
        if shared and branch.parent is not None:
            branch.parent["at"] = shared[-1]
        branch.created = next((item.ts for item in branch.items if item.ts), None)
        if len(shared) < len(branch.items):
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
    others: Callable[[], Iterable[Session]] = tuple,
) -> None:
    """Count the sub-agents with these files as skipped, and add them to the branches, after `others`.

    The paths start from the folder above the file's.
    """
    session.skip(SUB_AGENTS, len(paths))
    agents = partial(read_agents, source, program, paths, above=1)
    session.branches = lambda: chain(others(), of_session(session, agents()))
    session.agent_usage = lambda: chain.from_iterable(map(usage_of, agents()))


def read_agents(
    source: Source, program: Program, paths: Mapping[str, Sequence[str]], above: int = 0
) -> Iterator[Session]:
    """Read the sub-agents with these ids from the files at these paths; see `Source.beside`."""
    for id, path in paths.items():
        with suppress(Unreadable):
            for agent in program.read(Source(source.beside(*path, above=above), id), program):
                agent.id = id
                yield agent


def of_session(session: Session, agents: Iterable[Session]) -> Iterator[Session]:
    """Yield the sub-agents of a session as branches of it."""
    for agent in agents:
        agent.id = f"{session.id}-{agent.id}"
        agent.set_parent(session_id(session), agent=True)
        yield agent


def usage_of(session: Session) -> Iterator[AgentUsage]:
    """Yield the usage of a session's responses and of its sub-agents."""
    for item in session.items:
        if isinstance(item, Entry) and "usage" in item.fields:
            fields = {k: item.fields[k] for k in _OF_A_RESPONSE if k in item.fields}
            tools = [part["functionCall"]["name"] for part in item.parts if "functionCall" in part]
            yield AgentUsage(
                item.id, item.ts, fields | omit_empty(agent=session.agent_name or "sub-agent", tools=tools)
            )
    yield from session.unsent_usage()
