"""A model's Markdown for a terminal: what it wrote, character for character, in the terminal's own colours.

Nothing is laid out anew: what looks like a tag, an entity or an image is text that somebody may need.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.text import Text

from . import code, fences, plain

STYLES = {  # of the terminal's palette, readable on light and dark: no white, no black, no yellow
    "": "",
    "comment": "dim italic",
    "keyword": "magenta",
    "constant": "cyan",
    "name": "blue",
    "string": "green",
    "strong": "bold",
    "emphasis": "italic",
    "deleted": "red",
    "inserted": "green",
}
LONGEST = 200_000  # characters in colours: beyond it a lexer takes longer than anybody reads


def lines(text: str) -> Iterator[Text]:
    """The lines of a text: prose, which may be wrapped, and fenced code, which may not (`no_wrap`)."""
    if len(text) > LONGEST:
        yield from map(Text, plain.text_lines(text))
        return
    for is_code, found in groupby(
        fences.split("\n".join(plain.text_lines(text))), lambda piece: isinstance(piece, fences.Fenced)
    ):
        if not is_code:
            yield from coloured("\n".join(map(str, found)), "markdown")
            continue
        for block in found:
            assert isinstance(block, fences.Fenced)  # noqa: S101 - as grouped
            yield Text(block.opening, style="dim", no_wrap=True)
            for line in coloured("\n".join(block.lines), block.language) if block.lines else ():
                line.no_wrap = True
                yield line
            if block.closing is not None:
                yield Text(block.closing, style="dim", no_wrap=True)


def coloured(text: str, language: str) -> Iterator[Text]:
    """The lines of a text in its language's colours."""
    shown = Text()
    for kind, piece in code.pieces(text, language):
        shown.append(piece, STYLES[kind])
    yield from shown.split("\n", allow_blank=True)
