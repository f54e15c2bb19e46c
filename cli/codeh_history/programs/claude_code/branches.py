"""Abandoned branches and sub-agents of a file, as sessions of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .. import branches, lines
from ..model import Session, Used
from ..protocol import Refused, Source
from ..records import session_id
from .items import Items
from .tree import Branch, Node, Tree, siblings

FOLDER = "subagents"  # below the session's own folder: a file each

Reads = Callable[[Source], Iterable[Session]]


def read(source: Source, session: Session, tree: Tree, live: Branch, reads: Reads) -> Iterator[Session]:
    """Each branch that does not go on, each sub-agent in the file or (by `reads`) in its own."""
    used = {node.uuid for node in (*live.nodes, *siblings(tree, live.nodes))}

    def whole(leaf: Node) -> list[Node]:
        nodes = tree.branch(leaf).nodes
        return [*nodes, *siblings(tree, nodes)]

    def made(own: list[Node]) -> Session:
        branch = branches.of(session, own[0].uuid[:8])
        branch.agent = own[0].side
        Items(branch, source, tree).add(tree.branch(own[-1]))
        return branch

    for talk in (tree.talk, tree.aside) if tree.aside is not tree.talk else (tree.talk,):
        yield from branches.read(branches.apart(talk, tree.nodes, used, whole), made, session)
    for agent in _agents(source, reads):
        agent.id = f"{session.id}-{agent.id}"
        agent.below(session_id(session), agent=True)
        yield agent


def used(source: Source, tree: Tree, reads: Reads) -> Iterator[Used]:
    """What sub-agents used, in the file and in their own."""
    aside = Session("", "")
    items = Items(aside, source, tree)
    for node in tree.aside if tree.aside is not tree.talk else ():
        if node.type == "assistant":
            items.assistant(node, [])
    for agent in (aside, *_agents(source, reads)):
        yield from branches.used(agent)


def _agents(source: Source, reads: Reads) -> Iterator[Session]:
    """The sub-agents that have files of their own, by the names of these."""
    for name in files(source):
        try:
            held = lines.Held(source.beside(FOLDER, name), name.removesuffix(".jsonl"))
        except Refused:
            continue
        for agent in reads(held):
            agent.id = held.stem
            yield agent


def files(source: Source) -> list[str]:
    """The names of the files of sub-agents."""
    return [name for name in source.names(FOLDER) if name.endswith(".jsonl")]
