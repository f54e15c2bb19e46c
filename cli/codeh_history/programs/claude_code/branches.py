"""Abandoned branches and sub-agents of a file, as sessions of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from .. import branches, lines
from ..model import Session
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

    of = session_id(session)
    for talk in (tree.talk, tree.aside) if tree.aside is not tree.talk else (tree.talk,):
        for own in islice(branches.apart(talk, tree.nodes, used, whole), branches.MOST):
            made = branches.of(session, own[0].uuid[:8], of)
            made.agent = own[0].side
            Items(made, source, tree).add(tree.branch(own[-1]))
            if branches.placed(made, session):
                yield made
    for name in files(source):
        try:
            held = lines.Held(source.beside(FOLDER, name), name.removesuffix(".jsonl"))
        except Refused:
            continue
        for made in reads(held):
            made.id, made.parent = f"{session.id}-{held.stem}", {"session": of, "at": None}
            made.agent = True
            yield made


def files(source: Source) -> list[str]:
    """The names of the files of sub-agents."""
    return [name for name in source.names(FOLDER) if name.endswith(".jsonl")]
