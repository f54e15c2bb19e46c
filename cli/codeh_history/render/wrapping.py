"""Lines of a text that is still arriving, broken between words for a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from rich.cells import cell_len

NEAR = 20  # columns before the edge where the end of a word is waited for
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60"  # written without blanks: lines break anywhere between
_TOKEN = re.compile(rf"\n|[^\S\n]+|[{_WIDE}]|[^\s{_WIDE}]+")
_MARKS = re.compile(r"`{1,2}|~{1,2}")  # may become a fence
_FENCES = ("```", "~~~")
_UNTOUCHED = (*_FENCES, "|")  # what begins a line that is not broken: a fence, a table


class Wrapping:
    """Breaks prose between words; fenced code and tables stay as they are.

    `width`: asked for each word, as a terminal may change its size.
    """

    def __init__(self, width: Callable[[], int]) -> None:
        self.width = width
        self.column = 0
        self.blank = ""  # not written yet: it may become the end of a line
        self.held = ""  # a word whose end has not arrived
        self.fenced = self.untouched = False
        self.at_start = True  # of a line, but for blanks

    def feed(self, text: str) -> str:
        """What can be written once this text has arrived too; a newline releases all that was held back."""
        return "".join(self._written(self.held + text))

    def _written(self, text: str) -> Iterator[str]:
        self.held = ""
        for piece in _TOKEN.finditer(text):
            if piece.end() == len(text) and self._is_open(piece[0]):
                self.held = piece[0]
            else:
                yield self._put(piece[0])

    def _is_open(self, word: str) -> bool:
        """Whether the rest of a word decides where it is written."""
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
