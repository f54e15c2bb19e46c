"""A sentence of what was said, or a line of a tool: what it costs, and what it is worth."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

# What a line is worth beside another of the same words, by whose it is.
FACTORS = {
    "asked": 4.0, "said": 3.0, "earlier": 3.0, "pasted": 0.8, "called": 1.0, "gave": 1.3, "ledger": 1.0,
}  # fmt: skip
DULL = 0.03  # the same for a line of imports, which says nothing about what it names
PROSE = ("asked", "said", "earlier")
OWN_LINE, LABEL = 0.3, 0.2  # tokens that part lines, and of a label for each character
FRAGMENT = 1.5  # tokens more for a sentence: many short ones are harder to follow than a long one
SHARED = 0.3  # of a label: what lines of one file bear of it, which stand together
ALONE = 0.6  # and those of one command
_DULL = re.compile(
    r"\s*(?:import\b|from \S+ import\b|export \{|export \* from|#include\b|using [\w.]+;|use [\w:]+;"
    r"|require\b|package [\w.]+;|[\W_]*$)"
)
_DULL_BEGINS = frozenset("iferup")  # the letters that one of these begins with


class Line:
    """A sentence or a line: whose it is, what it costs, and what kind of thing it says.

    `number` is its message's place, `row` the line of it that it stands in, `kind` one of
    `FACTORS`, `topic` what has a section of its own (`rule`, `decision`, `open`, `file`, `failed`) or "".
    `first`: the sentence that a prompt is known by.
    """

    __slots__ = (
        "cost", "factor", "features", "first", "kind", "label", "number", "place", "row", "text", "topic",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 - the fields of one slotted value
        self, text: str, kind: str, number: int, *, label: str = "", row: int = 0, rate: float = 0.3,
        topic: str = "", first: bool = False, factor: float = 1.0,
    ) -> None:  # fmt: skip
        self.text = text
        self.kind = kind
        self.number = number
        self.label = label
        self.row = row
        self.topic = topic
        self.first = first
        self.cost = len(text) * rate + _beside(kind, label)
        self.factor = FACTORS[kind] * factor
        self.features: frozenset[str] | None = None
        self.place = 0  # among all lines there are

    def shorter(self) -> Line:
        """The same without its filler; code as it is."""
        from ...summaries.terse import terse

        text = terse(self.text)
        if not text or len(text) >= len(self.text):
            return self
        cost = self.cost - (self.cost - OWN_LINE) * (1 - len(text) / len(self.text))
        return self.changed(text=text, features=None, cost=cost)

    def changed(self, **fields: Any) -> Line:
        """The same line, but for these fields."""
        other = Line.__new__(Line)
        for name in Line.__slots__:
            setattr(other, name, fields[name] if name in fields else getattr(self, name))
        return other


@lru_cache(maxsize=1)
def _beside(kind: str, label: str) -> float:
    """What a line costs beside its text."""
    if kind in PROSE:
        return OWN_LINE + FRAGMENT + len(label) * LABEL
    if kind == "ledger":
        return OWN_LINE
    return OWN_LINE + len(label) * LABEL * (ALONE if label.startswith("`") else SHARED)


def dullness(line: str) -> float:
    """The factor of a line of a tool's: imports, and lines without a word, say little."""
    first = line.lstrip()[:1]
    if first.isalnum() and first not in _DULL_BEGINS:  # as most do
        return 1.0
    return DULL if _DULL.match(line) else 1.0
