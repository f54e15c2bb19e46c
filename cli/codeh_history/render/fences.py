"""Fenced code in Markdown text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})(.*)", re.DOTALL)


class Fenced(NamedTuple):
    """A fenced code block; `closing` is None if the text ends before the block does."""

    indent: int
    language: str
    opening: str
    lines: list[str]
    closing: str | None


def split(text: str) -> Iterator[str | Fenced]:
    """Yield a text's lines, with each fenced code block (CommonMark, at any indentation) as one item."""
    opened: re.Match[str] | None = None
    content: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        fence = _FENCE.fullmatch(line)
        if opened is None:
            if fence is not None and (fence[2][0] == "~" or "`" not in fence[3]):  # otherwise inline code
                opened, content = fence, []
            else:
                yield line
        elif fence is not None and fence[2].startswith(opened[2]) and not fence[3].strip():
            yield _fenced(opened, content, line)
            opened = None
        else:
            content.append(line)
    if opened is not None:
        yield _fenced(opened, content, None)


def _fenced(opened: re.Match[str], lines: list[str], closing: str | None) -> Fenced:
    language = (opened[3].split() or [""])[0]
    return Fenced(len(opened[1]), language, opened[0], lines, closing)


def last_block(text: str) -> str | None:
    """Return the content of the last closed fenced code block; None if there is none.

    An unclosed block may be truncated, so it does not count.
    """
    block: str | None = None
    for piece in split(text):
        if isinstance(piece, Fenced) and piece.closing is not None:
            indent = piece.indent
            lines = (line[indent:] if not line[:indent].strip() else line for line in piece.lines)
            block = "".join(f"{line}\n" for line in lines)
    return block
