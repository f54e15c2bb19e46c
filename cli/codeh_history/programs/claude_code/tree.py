"""The tree of a file's lines: those that Claude Code sends next, and those that compactions replaced.

A line's parent is its `parentUuid`; the live branch goes from the newest leaf to a line without a parent.
The boundary of a compaction is such a line; its `logicalParentUuid` is the last line that it replaced.
"""

from __future__ import annotations

from typing import NamedTuple

from ...session.model import Json
from .. import tree
from ..fields import name_at, object_at, objects_at, text_at, time_of
from .attachments import QUEUED, is_sent


class Node(tree.Node):
    """A line of the tree."""

    def __init__(self, number: int, data: Json, id: str) -> None:
        super().__init__(id, None, number)
        self.fill(data)

    def fill(self, data: Json) -> None:
        """Set the content; a later line with the same `uuid` replaces an earlier one."""
        self.data = data
        self.type = data.get("type")
        subtype = data.get("subtype") if self.type == "system" else None
        self.local = subtype == "local_command"
        self.talks = self.local or self.type in ("user", "assistant")
        attachment = data.get("attachment") if self.type == "attachment" else None
        self.queued = text_at(attachment, "type") == QUEUED
        self.attached = is_sent(attachment)
        self.ts = time_of(data.get("timestamp"))
        self.parent = self.origin = name_at(data, "parentUuid")
        self.logical = name_at(data, "logicalParentUuid")
        self.side = data.get("isSidechain") is True
        self.summarises = data.get("isCompactSummary") is True
        self.starts = subtype == "compact_boundary" or (self.parent is None and self.summarises)
        self.response = name_at(data, "message.id") or ""
        blocks = objects_at(data, "message.content") if self.type == "user" else ()
        self.answers = any(block.get("type") == "tool_result" for block in blocks)


class Branch(NamedTuple):
    """The nodes from the root to a leaf; `starts`: the indices where a compaction restarts the context.

    `off_path`: lines off the path that belong to the branch: other blocks of its responses, and results of
    their calls.
    """

    nodes: list[Node]
    starts: list[int]
    broken: list[tree.Broken[Node]]
    off_path: list[Node]

    @property
    def all(self) -> list[Node]:
        return [*self.nodes, *self.off_path]


class Tree:
    """The lines that have a `uuid`, in file order."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.talk: list[Node] = []  # the session's own lines, in file order
        self.side: list[Node] = []  # lines of sub-agents
        self.others: list[Node] = []  # equals `side`, but empty in a sub-agent's own file
        self.trailing: list[Node] = []  # attachments since the last message
        self.leaf_named: str | None = None  # by the last `last-prompt` line
        self.leaf_line = 0  # the number of that line
        self.beyond: Node | None = None  # that leaf, if the branch continues after it
        self._preserved: Json = {}

    def add(self, number: int, data: Json) -> Node | None:
        """Add a line; return its node, or None if it has no `uuid` or repeats one."""
        uuid = name_at(data, "uuid")
        if uuid is None:
            if data.get("type") == "last-prompt" and name_at(data, "leafUuid"):
                self.leaf_named, self.leaf_line = data["leafUuid"], number
            return None
        earlier = self.nodes.get(uuid)
        if earlier is not None:
            if earlier.type == data.get("type"):
                earlier.fill(data)
            return None
        node = self.nodes[uuid] = Node(number, data, uuid)
        if node.talks:
            if "parentUuid" not in data and self.talk_of(node) and not node.starts:
                node.parent = node.origin = ""  # dropped by another writer: the program writes null
            self.talk_of(node).append(node)
            self.trailing = []
        elif node.type == "attachment":
            self.trailing.append(node)
        if node.starts:
            self._preserved = object_at(data, "compactMetadata.preservedSegment")
            if node.type == "system":  # a boundary; what was named before it counts no more
                self.leaf_named = None
        return node

    def talk_of(self, node: Node) -> list[Node]:
        """The list that a node belongs to: sub-agents' lines, or the session's own."""
        return self.side if node.side else self.talk

    def leaf(self) -> Node | None:
        """Return the end of the live branch: the last line, unless `last-prompt` names another branch.

        Attachments of the last line belong to the branch. A result beside the branch, if named, is
        ignored and stored as `beyond`.
        """
        if self.talk:
            self.others = self.side
        else:  # a sub-agent's own file
            self.talk = self.side
        last = self.talk[-1] if self.talk else None
        named = self.nodes.get(self.leaf_named or "")
        if last is None:
            return None
        if named is not None and not self._comes_from(last, named):
            if named not in self.branch(last).off_path:
                return named
            self.beyond = named
        for node in self.trailing:
            last = node if node.parent == last.id else last
        return last

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
            """The last line that a compaction replaced."""
            if not node.starts:
                return None
            starts.append(node.id)
            at = self.nodes.get(node.logical or "")
            while at is not None and at.id in seen:  # lines that the compaction kept
                origin = self.nodes.get(at.origin or "")
                at = origin if origin is not None and origin.number < at.number else None
            return at or tree.nearest(self.talk_of(node), node, seen)

        nodes, broken = tree.walk(self.nodes, leaf, self.talk_of, before)
        places = [place for place, node in enumerate(nodes) if node.id in starts]
        on = {node.id for node in nodes}
        responses = {node.response for node in nodes if node.type == "assistant"} - {""}
        talk = self.talk_of(leaf)
        others = {node.id for node in talk if node.type == "assistant" and node.response in responses}
        off_path = [
            node
            for node in talk
            if node.id not in on and (node.id in others or (node.answers and node.parent in others))
        ]
        return Branch(nodes, places, broken, off_path)

    def _relink(self) -> None:
        """Move the lines that the last compaction kept to the place after its summary."""
        segment, self._preserved = self._preserved, {}
        ends = ("headUuid", "anchorUuid", "tailUuid")
        head, anchor, tail = (self.nodes.get(str(segment.get(end))) for end in ends)
        if head is None or anchor is None or tail is None or not self._comes_from(tail, head):
            return
        for node in self.nodes.values():
            if node.parent == anchor.id and node is not head:
                node.parent = tail.id
        head.parent = anchor.id
