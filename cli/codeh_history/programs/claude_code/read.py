"""A file of Claude Code → its session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from ...providers.parts import name_of, object_of, text_of
from ...session.model import Json
from .. import branches, lines, pairs
from ..model import ABANDONED, SUB_AGENT, SUB_AGENTS, Effect, Problem, Session, Used
from ..protocol import Refused, Source
from ..records import session_id, time_of
from . import INTERFACE, NAME, recognises
from .items import Items
from .tree import Branch, Node, Tree, forgotten, siblings

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|agent-[\w-]+")
_FOLDER = "subagents"  # below the session's own folder: a file each
_TITLES = {
    "custom-title": "customTitle", "agent-name": "agentName", "ai-title": "aiTitle", "summary": "summary",
}  # fmt: skip

_PAIRS: dict[pairs.Kind, tuple[Effect, str]] = {
    pairs.OPEN_AT_THE_END: ("drops", "Claude Code drops it, and says that no response was requested"),
    pairs.OPEN_BETWEEN: ("drops", "Claude Code drops the model's message"),
    pairs.ORPHAN: ("drops", "Claude Code drops it"),
}


def read(source: Source) -> Iterable[Session]:
    """The session of a file: its live branch, and what compactions on it replaced."""
    session = Session(NAME, source.stem)
    tree = _tree(source, session)
    session.loose = tree.leaf_named is not None and tree.leaf_named not in tree.nodes
    leaf = tree.leaf()
    if leaf is not None:
        branch = tree.branch(leaf)
        session.problems += forgotten(branch)
        if tree.beyond is not None:
            session.loose = True
            session.problems.append(_hidden(tree, branch, tree.beyond))
        Items(session, source, tree).add(branch)
        session.branches = partial(_branches, source, session, tree, branch)
        session.used = partial(_used, source, tree)
        session.loose |= bool(tree.aside) and tree.aside is not tree.talk
        _count(session, tree, branch)
        session.leave(SUB_AGENTS, len(_files(source)))
        pairs.tell(session, _PAIRS)
    yield session


def _hidden(tree: Tree, branch: Branch, leaf: Node) -> Problem:
    """What the last prompt hides that names one of several results; newer versions send all of it."""
    talk = [node.number for node in branch.nodes if node.talks]
    sent = sum(number <= leaf.number for number in talk)
    why = f"it names line {leaf.number}, one of several results"
    why += f": Claude Code 2.1.197 would send {sent} of {len(talk)} messages"
    return Problem(tree.leaf_line, "forgets", why, "all are read")


def _tree(source: Source, session: Session) -> Tree:
    """All lines, and what they say of the session."""
    tree = Tree()
    titles: dict[tuple[str, str | None], str] = {}  # by kind, and the line that they are of
    id = session.id if _ID.fullmatch(session.id) else None
    for line, data in lines.objects(source, session.problems, recognises):
        kind = text_of(data.get("type"))
        node = tree.add(line, data)
        session.version = name_of(data.get("version")) or session.version
        session.cwd = session.cwd or name_of(data.get("cwd"))
        session.created = session.created or time_of(data.get("timestamp"))
        session.id = id or name_of(data.get("sessionId")) or session.id
        if kind in _TITLES and name_of(data.get(_TITLES[kind])):
            of = name_of(data.get("leafUuid")) if kind == "summary" else None
            titles[kind, of] = data[_TITLES[kind]]
        if node is None and name_of(data.get("uuid")):
            continue  # a line that was there before
        if node is None or not (node.talks or node.queued or node.attached):
            session.aside(_kind(data), known=kind in INTERFACE)
    own = {kind: title for (kind, of), title in titles.items() if of is None or of in tree.nodes}
    if own:  # older versions wrote titles of other sessions first
        session.settings["title"] = next(own[kind] for kind in _TITLES if kind in own)
    return tree


def _kind(data: Json) -> str:
    """What a line that is no message is called among what was left out."""
    kind = str(data.get("type", "line without a type"))
    beside = name_of(data.get("subtype")) or name_of(object_of(data.get("attachment")).get("type"))
    return f"{kind} ({beside})" if beside else kind


def _count(session: Session, tree: Tree, branch: Branch) -> None:
    """Count the messages that are not of the branch."""
    used = {node.id for node in (*branch.nodes, *siblings(tree, branch.nodes))}
    for node in tree.nodes.values():
        if (node.talks or node.queued) and node.id not in used:
            session.left[SUB_AGENT if node.side else ABANDONED] += 1
        elif node.attached and node.id not in used:
            session.aside(_kind(node.line.data))
    session.leave("repeated line", tree.repeated)


# -- what else there is to import --------------------------------------------------------------------------


def _branches(source: Source, session: Session, tree: Tree, live: Branch) -> Iterator[Session]:
    """Abandoned branches and sub-agents as sessions of their own: in the file, or in files of theirs."""
    used = {node.id for node in (*live.nodes, *siblings(tree, live.nodes))}

    def whole(leaf: Node) -> list[Node]:
        nodes = tree.branch(leaf).nodes
        return [*nodes, *siblings(tree, nodes)]

    def made(own: list[Node]) -> Session:
        branch = branches.of(session, own[0].id[:8])
        branch.agent = own[0].side
        Items(branch, source, tree).add(tree.branch(own[-1]))
        return branch

    for talk in (tree.talk, tree.aside) if tree.aside is not tree.talk else (tree.talk,):
        yield from branches.read(branches.apart(talk, tree.nodes, used, whole), made, session)
    for agent in _agents(source):
        agent.id = f"{session.id}-{agent.id}"
        agent.below(session_id(session), agent=True)
        yield agent


def _used(source: Source, tree: Tree) -> Iterator[Used]:
    """What sub-agents used, in the file and in their own."""
    aside = Session("", "")
    items = Items(aside, source, tree)
    for node in tree.aside if tree.aside is not tree.talk else ():
        if node.type == "assistant":
            items.assistant(node, [])
    for agent in (aside, *_agents(source)):
        yield from branches.used(agent)


def _agents(source: Source) -> Iterator[Session]:
    """The sub-agents that have files of their own, by the names of these."""
    for name in _files(source):
        try:
            held = lines.Held(source.beside(_FOLDER, name), name.removesuffix(".jsonl"))
        except Refused:
            continue
        for agent in read(held):
            agent.id = held.stem
            yield agent


def _files(source: Source) -> list[str]:
    """The names of the files of sub-agents."""
    return [name for name in source.names(_FOLDER) if name.endswith(".jsonl")]
