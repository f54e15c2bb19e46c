"""The tree of a file's lines: which of them Claude Code would send next, and what its compactions replaced.

A line hangs on its `parentUuid`; the live branch goes from the newest leaf to a line without a parent.
Before a compaction's boundary the branch goes on at `logicalParentUuid`: that is what was replaced.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from ...providers.parts import name_of, object_of, objects, text_of
from ...session.model import Json
from .. import tree
from ..model import Problem
from ..records import time_of
from .attachments import QUEUED, is_sent

TALK = ("user", "assistant")


class Node(tree.Node):
    """A line of the tree."""

    __slots__ = (
        "answers", "attached", "data", "local", "logical", "origin", "queued", "response", "side", "starts",
        "talks", "ts", "type",
    )  # fmt: skip

    def __init__(self, number: int, data: Json, id: str) -> None:
        super().__init__(id, None, number)
        self.fill(data)

    def fill(self, data: Json) -> None:
        """Take what a line says; another one of the same `uuid` takes the place of the first."""
        self.data = data
        self.type = data.get("type")
        self.local = self.type == "system" and data.get("subtype") == "local_command"
        self.talks = self.local or self.type in TALK
        attachment = data.get("attachment") if self.type == "attachment" else None
        self.queued = text_of(object_of(attachment).get("type")) == QUEUED
        self.attached = is_sent(attachment)
        self.ts = time_of(data.get("timestamp"))
        self.parent = self.origin = name_of(data.get("parentUuid"))
        self.logical = name_of(data.get("logicalParentUuid"))
        self.side = data.get("isSidechain") is True
        boundary = self.type == "system" and data.get("subtype") == "compact_boundary"
        self.starts = boundary or (self.parent is None and data.get("isCompactSummary") is True)
        message = object_of(data.get("message"))
        self.response = name_of(message.get("id"))
        blocks = objects(message.get("content")) if self.type == "user" else ()
        self.answers = any(block.get("type") == "tool_result" for block in blocks)


class Branch(NamedTuple):
    """The nodes from the first to a leaf; `starts`: where in them a compaction begins the context anew."""

    nodes: list[Node]
    starts: list[int]
    broken: list[tree.Broken[Node]]


class Tree:
    """The lines that have a `uuid`, as they are added in the order of the file."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.talk: list[Node] = []  # not of sub-agents, in the order of the file
        self.side: list[Node] = []  # of sub-agents
        self.behind: list[Node] = []  # attachments since the last of the talk
        self.repeated = 0
        self.leaf_named: str | None = None  # by the last `last-prompt`
        self.leaf_line = 0  # of which line that is
        self.beyond: Node | None = None  # the leaf that it names, where the branch goes beyond it
        self._preserved: Json = {}

    def add(self, number: int, data: Json) -> Node | None:
        """The node of a line; None for one that is not of the tree, or was there before."""
        uuid = name_of(data.get("uuid"))
        if uuid is None:
            if data.get("type") == "last-prompt" and name_of(data.get("leafUuid")):
                self.leaf_named, self.leaf_line = data["leafUuid"], number
            return None
        earlier = self.nodes.get(uuid)
        if earlier is not None:
            self.repeated += 1
            if earlier.type == data.get("type") and earlier.data != data:
                earlier.fill(data)
            return None
        node = self.nodes[uuid] = Node(number, data, uuid)
        if node.talks:
            (self.side if node.side else self.talk).append(node)
            self.behind = []
        elif node.type == "attachment":
            self.behind.append(node)
        if node.starts:
            self._preserved = object_of(object_of(data.get("compactMetadata")).get("preservedSegment"))
        return node

    def leaf(self) -> Node | None:
        """The end of the branch that goes on: the last line, unless the last prompt names one of others.

        What is attached to the last line goes with it. One of several results stands beside its branch.
        """
        if not self.talk:  # a sub-agent's own file
            self.talk = self.side
        last = self.talk[-1] if self.talk else None
        named = self.nodes.get(self.leaf_named or "")
        if last is None:
            return None
        if named is not None and not self._comes_from(last, named):
            if named not in siblings(self, self.branch(last).nodes):
                return named
            self.beyond = named
        for node in self.behind:
            last = node if node.parent == last.id else last
        return last

    @property
    def others(self) -> list[Node]:
        """The talk of sub-agents in a session's file."""
        return self.side if self.side is not self.talk else []

    def _comes_from(self, node: Node, named: Node) -> bool:
        seen = set()
        at: Node | None = node
        while at is not None and at.id not in seen and at.number > named.number:
            seen.add(at.id)
            at = self.nodes.get(at.parent or "")
        return at is named

    def branch(self, leaf: Node) -> Branch:
        """The branch that ends at a leaf."""
        self._relink()
        starts: list[str] = []

        def before(node: Node, seen: set[str]) -> Node | None:
            """The last line of what a compaction replaced."""
            if not node.starts:
                return None
            starts.append(node.id)
            at = self.nodes.get(node.logical or "")
            while at is not None and at.id in seen:  # of what it kept
                origin = self.nodes.get(at.origin or "")
                at = origin if origin is not None and origin.number < at.number else None
            return at or tree.nearest(self.beside(node), node, seen)

        nodes, broken = tree.walk(self.nodes, leaf, self.beside, before)
        return Branch(nodes, [place for place, node in enumerate(nodes) if node.id in starts], broken)

    def beside(self, node: Node) -> list[Node]:
        """The talk that a line is of: of sub-agents, or the session's own."""
        return self.side if node.side else self.talk

    def _relink(self) -> None:
        """Put the lines that the last compaction kept as they are behind its summary."""
        kept, self._preserved = self._preserved, {}
        ends = ("headUuid", "anchorUuid", "tailUuid")
        head, anchor, tail = (self.nodes.get(str(kept.get(end))) for end in ends)
        if head is None or anchor is None or tail is None or not self._comes_from(tail, head):
            return
        for node in self.nodes.values():
            if node.parent == anchor.id and node is not head:
                node.parent = tail.id
        head.parent = anchor.id


def siblings(of: Tree, branch: list[Node]) -> Iterator[Node]:
    """Lines beside a branch that belong to it: other blocks of its responses, results of their calls."""
    talk = of.beside(branch[-1]) if branch else []
    on = {node.id for node in branch}
    responses = {node.response for node in branch if node.type == "assistant"} - {None}
    others = {n.id for n in talk if n.type == "assistant" and n.response in responses}
    for node in talk:
        if node.id not in on and (node.id in others or (node.answers and node.parent in others)):
            yield node


def forgotten(branch: Branch, title: str) -> Iterator[Problem]:
    """Where Claude Code would begin, for a parent is missing; what was compacted it sends in no case.

    It finds the place by the lines' times where only seconds lie between them.
    """
    first = branch.nodes[branch.starts[-1]].number if branch.starts else 0
    talk = sorted(node.number for node in branch.nodes if node.talks and node.number >= first)
    for lost in (lost for lost in branch.broken if lost.node.number >= first):
        sent = len(talk) - bisect_left(talk, lost.node.number)
        costs = f": {title} would send {sent} of {len(talk)} messages, unless their times tell its place"
        if lost.instead is None and sent == len(talk):
            costs = ", which has nothing of what came before"
        reason = f"its parent {(lost.node.parent or '')[:8]}… {lost.why}{costs}"
        yield Problem(lost.node.number, "forgets", reason, lost.mended)
