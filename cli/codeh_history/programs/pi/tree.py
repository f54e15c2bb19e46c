"""The entries of a file, and the branch of them that ends at the last line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from ...providers.parts import name_of
from ...session.model import Json
from ...session.records import dumps
from ..lines import Line
from ..model import Problem
from ..records import made_id, time_of


@dataclass(slots=True, eq=False)
class Node:
    """A line of the tree; `number`: which it is in the file."""

    id: str
    line: Line
    parent: str | None
    type: object
    ts: str | None

    @property
    def number(self) -> int:
        return self.line.number


class Tree:
    """Takes the lines in the order of the file; entries without ids (version 1) follow each other."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.order: list[Node] = []
        self.leaf: Node | None = None
        self.repeated = 0
        self.again: tuple[int, Node] | None = None  # the last line, if it is the same as one before
        self.numbered = False  # whether entries have no ids, and are told apart by their number
        self.seen: dict[bytes, int] = {}  # lines without an id, and how often each was met

    def add(self, line: Line, data: Json) -> Node | None:
        """The node of a line; None where its id was there before."""
        id = name_of(data.get("id"))
        parent = name_of(data.get("parentId"))
        ts = time_of(data.get("timestamp"))
        known = self.nodes.get(id or "")
        if known is not None:
            self.repeated += 1
            if known.line.data == data:
                self.again = (line.number, known) if known is not self.leaf else None
            else:
                known.line, known.parent, known.type, known.ts = line, parent, data.get("type"), ts
                self.leaf, self.again = known, None
            return None
        if id is None:
            self.numbered = True
            raw = dumps(data)
            number = self.seen[raw] = self.seen.get(raw, -1) + 1
            id = made_id(raw, number)
        if "parentId" not in data and self.order:
            parent = self.order[-1].id
        node = self.nodes[id] = Node(id, line, parent, data.get("type"), ts)
        self.order.append(node)
        self.leaf, self.again = node, None
        return node

    def branch(self, problems: list[Problem], leaf: Node | None = None) -> list[Node]:
        """From the first to the last line, or a leaf; the line before stands in for a missing parent."""
        if not self.order:
            return []
        places = {node.id: place for place, node in enumerate(self.order)}
        nodes: list[Node] = []
        broken: list[tuple[int, Node, str, Node | None]] = []
        seen: set[str] = set()
        at = leaf or self.leaf
        while at is not None:
            nodes.append(at)
            seen.add(at.id)
            parent = self.nodes.get(at.parent or "")
            if at.parent is not None and (parent is None or parent.id in seen):
                why = "is not in the file" if parent is None else "comes from it"
                before = (self.order[place] for place in range(places[at.id] - 1, -1, -1))
                parent = next((node for node in before if node.id not in seen), None)
                broken.append((len(nodes), at, why, parent))
            at = parent
        problems += _forgotten(nodes, broken)
        if self.again is not None and leaf is None:
            number, known = self.again
            why = f"the same as line {known.number}: pi goes back there, and forgets what came after"
            problems.append(Problem(number, "forgets", why, "not taken for the end"))
        return nodes[::-1]


def _forgotten(nodes: list[Node], broken: list[tuple[int, Node, str, Node | None]]) -> Iterator[Problem]:
    sents = [0, *accumulate(node.type == "message" for node in nodes)]
    talk = sents[-1]
    for count, node, why, instead in broken:
        sent = sents[count]
        mended = f"taken to follow line {instead.number}" if instead else "taken as the first"
        reason = f"its parent {node.parent} {why}: pi would send {sent} of {talk} messages"
        yield Problem(node.number, "forgets", reason, mended)
