"""Find fenced code in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})(.*)", re.DOTALL)


class Fenced(NamedTuple):
    """A fenced code block; `closing` is None if the block is not closed."""

    indent: int
    language: str
    opening: str
    lines: list[str]
    closing: str | None


def split(text: str) -> Iterator[str | Fenced]:
    """Yield a text's lines, with each fenced code block (CommonMark, at any indentation) as one item."""
    block: Fenced | None = None
    marks = ""  # the marks that opened the block
    for line in text.replace("\r\n", "\n").split("\n"):
        fence = _FENCE.fullmatch(line)
        if block is None:
            if fence is not None and (fence[2][0] == "~" or "`" not in fence[3]):  # otherwise inline code
                language = (fence[3].split() or [""])[0]
                block, marks = Fenced(len(fence[1]), language, line, [], None), fence[2]
            else:
                yield line
        elif fence is not None and fence[2].startswith(marks) and not fence[3].strip():
            yield block._replace(closing=line)
            block = None
        else:
            block.lines.append(line)
    if block is not None:
        yield block


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
