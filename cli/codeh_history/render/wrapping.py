"""Wrap text between words for a terminal while it is still arriving."""

from __future__ import annotations

import re
from collections.abc import Callable

from rich.cells import cell_len

NEAR = 20  # columns from the edge within which an unfinished word is held back
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60"  # scripts without spaces: lines may break anywhere
_TOKEN = re.compile(rf"\n|[^\S\n]+|[{_WIDE}]|[^\s{_WIDE}]+")
_MARKS = re.compile(r"`{1,2}|~{1,2}")  # may turn out to be a fence
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
        self.held = ""  # an unfinished word
        self.fenced = self.untouched = False
        self.at_start = True  # only spaces precede in the line

    def feed(self, text: str) -> str:
        """Add a text and return what can be written now; a newline releases all text held back."""
        pieces = _TOKEN.findall(self.held + text)
        self.held = ""
        written = "".join(map(self._put, pieces[:-1]))
        if pieces and self._is_open(pieces[-1]):
            self.held = pieces[-1]
        elif pieces:
            written += self._put(pieces[-1])
        return written

    def _is_open(self, word: str) -> bool:
        """Whether the position of a word depends on the rest of it."""
        if word.isspace() or self.fenced:
            return self.fenced and self.at_start and bool(_MARKS.fullmatch(word))
        if self.at_start and _MARKS.fullmatch(word):
            return True
        edge = self.width() - cell_len(self.blank)
        size = cell_len(word)
        return bool(self.blank) and self.column + size + NEAR > edge and size <= edge

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
        wide = bool(re.match(f"[{_WIDE}]", piece))
        size = cell_len(piece)
        column = self.column + cell_len(blank)
        if (blank or wide) and self.column and not self.untouched and column + size > self.width():
            self.column = size
            return f"\n{piece}"
        self.column = column + size
        return blank + piece
