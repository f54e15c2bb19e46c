"""Wrap text between words for a terminal while it is still arriving."""

from __future__ import annotations

import re
from collections.abc import Callable

from rich.cells import cell_len

_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60"  # scripts without spaces: lines may break anywhere
_TOKEN = re.compile(rf"\n|[^\S\n]+|[{_WIDE}]|[^\s{_WIDE}]+")
_FENCES = ("```", "~~~")
_UNTOUCHED = (*_FENCES, "|")  # starts of lines that are never wrapped: fences and tables


class Wrapping:
    """Wraps prose between words; fenced code and tables stay unwrapped.

    `width` is called for each word, because a terminal may change its size.
    """

    def __init__(self, width: Callable[[], int]) -> None:
        self.width = width
        self.column = 0
        self.blank = ""  # pending whitespace: dropped if the line breaks here
        self.word = ""  # the last word, which may be unfinished
        self.fenced = self.untouched = False
        self.at_start = True  # only spaces precede in the line

    def feed(self, text: str) -> str:
        """Add a text and return all of it but its last word, which is held back until it ends."""
        pieces = _TOKEN.findall(self.word + text)
        self.word = pieces.pop() if pieces and not pieces[-1].isspace() else ""
        return "".join(map(self._put, pieces))

    def _put(self, piece: str) -> str:
        if piece == "\n":
            end = self.blank if self.untouched else ""
            self.blank, self.column, self.at_start, self.untouched = "", 0, True, self.fenced
            return f"{end}\n"
        if piece.isspace():
            self.blank += piece
            return ""
        if self.at_start:
            self.untouched = self.fenced or piece.startswith(_UNTOUCHED)
            self.fenced ^= piece.startswith(_FENCES)
            self.at_start = False
        blank, self.blank = self.blank, ""
        size, indent = cell_len(piece), cell_len(blank)
        may_break = self.column and not self.untouched and (blank or re.match(f"[{_WIDE}]", piece))
        if may_break and self.column + indent + size > self.width():
            self.column = size
            return f"\n{piece}"
        self.column += indent + size
        return blank + piece
