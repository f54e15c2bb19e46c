"""A file of pi → its session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from ...providers.parts import name_of, object_of, text_of
from ...session.model import Json, Part
from .. import branches, lines, pairs
from ..model import ABANDONED, Effect, Entry, Piece, Session, Summary
from ..protocol import Source
from ..records import time_of
from . import NAME, is_header, messages, recognises
from .tree import Node, Tree

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TALK = ("message", "custom_message", "branch_summary", "compaction")
_PAIRS: dict[pairs.Kind, tuple[Effect, str]] = {
    pairs.ORPHAN: ("refused", "pi sends it, which its provider refuses"),
    pairs.DOUBLE: ("refused", "pi sends both, which its provider refuses"),
}


def read(source: Source) -> Iterable[Session]:
    """The session of a file: the branch that ends at its last line."""
    session = Session(NAME, source.stem)
    tree = _tree(source, session)
    branch = tree.branch(session.problems)
    _Branch(session, branch).read()
    on = {node.id for node in branch}
    session.leave(ABANDONED, sum(node.type == "message" for node in tree.order if node.id not in on))
    session.loose = tree.numbered
    session.branches = partial(_branches, session, tree, on)
    session.leave("repeated line", tree.repeated)
    pairs.tell(session, _PAIRS)
    yield session


def _branches(session: Session, tree: Tree, on: set[str]) -> Iterator[Session]:
    """The branches that do not end at the last line, as sessions of their own."""
    talk = [node for node in tree.order if node.type in _TALK]

    def made(own: list[Node]) -> Session:
        branch = branches.of(session, own[0].id)
        _Branch(branch, tree.branch([], own[-1])).read()
        return branch

    yield from branches.read(branches.apart(talk, tree.nodes, on, lambda _: ()), made, session)


def _tree(source: Source, session: Session) -> Tree:
    tree = Tree()
    headed = False
    for line, data in lines.objects(source, session.problems, recognises):
        if data.get("type") == "session":
            if not headed and is_header(data):
                headed = True
                _header(session, data)
                if line.number > 1:
                    _without_header(session)
            continue
        node = tree.add(line, data)
        if data.get("type") == "session_info":
            session.titled(data.get("name"))
        if node is not None and node.type not in _TALK:
            kind, own = str(node.type), name_of(data.get("customType"))
            session.aside(f"{kind} ({own})" if own else kind)
    if not headed:
        _without_header(session)
    return tree


def _header(session: Session, data: Json) -> None:
    session.id = name_of(data.get("id")) or session.id
    session.cwd = name_of(data.get("cwd"))
    session.created = time_of(data.get("timestamp"))
    session.version = str(data["version"]) if "version" in data else "1"
    parent = _UUID.findall(text_of(data.get("parentSession")))
    if parent:
        session.below(f"{NAME}-{parent[-1]}")


def _without_header(session: Session) -> None:
    why = "no header: pi overwrites the file when it opens it, and its messages are gone"
    session.problem(1, "forgets", why, "read without")


class _Branch:
    """Makes entries and summaries of the nodes of a branch."""

    def __init__(self, session: Session, branch: list[Node]) -> None:
        self.session = session
        self.branch = branch
        self.place = 0  # of the node that is read
        self.live: list[tuple[int, str]] = []  # items that nothing covers: their nodes' places, their ids

    def read(self) -> None:
        for place, node in enumerate(self.branch):
            self.place = place
            self.add(node)

    def add(self, node: Node) -> None:
        data = node.line.data
        match node.type:
            case "message":
                self.message(node, object_of(data.get("message")))
            case "custom_message":
                self.entry(node, "user", messages.content(data.get("content")))
            case "branch_summary" if text_of(data.get("summary")):
                self.entry(node, "user", [{"text": messages.BRANCH.format(data["summary"])}])
            case "compaction":
                self.compacted(node, data)

    def message(self, node: Node, message: Json) -> None:
        match message.get("role"):
            case "user" | "custom" | "hookMessage":
                self.entry(node, "user", messages.content(message.get("content")))
            case "assistant":
                self.said(node, message)
            case "toolResult":
                self.entry(node, "tool", [messages.result(message)])
            case "bashExecution" if message.get("excludeFromContext") is True:
                self.session.left["command that is not sent"] += 1
            case "bashExecution":
                self.entry(node, "user", [{"text": messages.shell(message)}])
            case role:
                self.session.left[f"{role} message"] += 1

    def said(self, node: Node, message: Json) -> None:
        if "totalTokens" not in object_of(message.get("usage")):
            why = "a model's message without `usage.totalTokens`: pi crashes"
            self.session.problem(node.number, "refused", why)
        if message.get("stopReason") in ("error", "aborted"):
            self.session.left["answer that failed or was aborted"] += 1
            return
        fields = messages.model_fields(message)
        self.entry(node, "codeh", messages.content(message.get("content"), fields.get("provider")), fields)

    def entry(self, node: Node, kind: str, parts: list[Part], fields: Json | None = None) -> None:
        if not parts:
            self.session.left["empty message"] += 1
            return
        self.keep(Entry(node.id, kind, node.ts, [Piece(node.number, parts)], fields or {}))

    def compacted(self, node: Node, data: Json) -> None:
        """The summary of all before the first entry that is kept; older summaries are always replaced."""
        first = self.first_kept(data)
        older = {item.id for item in self.session.items if isinstance(item, Summary)}
        covers = [id for place, id in self.live if place < first or id in older]
        self.live = [one for one in self.live if one[1] not in covers]
        self.keep(Summary(node.id, node.ts, text_of(data.get("summary")), node.number, covers))

    def first_kept(self, data: Json) -> int:
        """The place of the first entry that a compaction keeps; beyond the end where it keeps none."""
        id, index = data.get("firstKeptEntryId"), data.get("firstKeptEntryIndex")
        if isinstance(index, int):  # of the first version, the header being 0
            return index - 1 if 0 < index <= len(self.branch) else 0
        found = (place for place, node in enumerate(self.branch) if node.id == id)
        return next(found, len(self.branch))

    def keep(self, item: Entry | Summary) -> None:
        self.session.items.append(item)
        self.live.append((self.place, item.id))
