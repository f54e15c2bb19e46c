"""Format lines in the terminal's colours, wrapped with indentation; imported only for a terminal.

A model's text is shown unchanged, including its Markdown characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.console import Console, ConsoleOptions
from rich.text import Text

from . import fences
from .code import pieces as highlighted
from .table import printed

STYLES = {  # the terminal's palette without white and black, readable on light and dark
    "user": "bold green", "codeh": "bold cyan", "tool": "bold yellow", "error": "bold red",
    "info": "bold blue", "head": "bold magenta", "thought": "dim italic", "call": "yellow",
    "result": "yellow", "argument": "dim", "output": "dim", "reference": "dim", "media": "magenta",
    "pending": "magenta",
}  # fmt: skip
OF_CODE = {
    "comment": "dim italic", "keyword": "magenta", "constant": "cyan", "name": "blue", "string": "green",
    "strong": "bold", "emphasis": "italic", "deleted": "red", "inserted": "green",
}  # fmt: skip
ARROWS = {"call": "→ ", "result": "← "}
INDENTS = {"argument": 4, "head": 0, "": 0} | dict.fromkeys(("user", "codeh", "tool", "error", "info"), 0)
LONGEST = 200_000  # most characters to highlight in reasonable time


def draw(lines: Iterable[tuple[str, str]], *, width: int, colour: bool) -> bytes:
    """Format lines (kind, text) for a terminal of this width; kind `markdown` is a model's text."""
    shown: list[Indented] = []
    for kind, group in groupby(lines, lambda line: line[0]):
        texts = [text for _, text in group]
        if kind == "markdown":
            shown += map(Indented, markdown(texts))
        else:
            arrow, style, indent = ARROWS.get(kind, ""), STYLES.get(kind, ""), INDENTS.get(kind, 2)
            shown += (Indented(Text(arrow + text, style), indent) for text in texts)
    return printed(*shown, width=width, colour=colour) if shown else b""


def markdown(lines: Sequence[str]) -> Iterator[Text]:
    """Yield the highlighted lines of a model's text; those of fenced code are `no_wrap`."""
    text = "\n".join(lines)
    if len(text) > LONGEST:
        yield from map(Text, lines)
        return
    for piece in fences.split(text):
        if isinstance(piece, str):
            yield next(coloured(f"{piece}\n", "markdown"))
            continue
        code = coloured("\n".join(piece.lines), piece.language) if piece.lines else ()
        closing = [] if piece.closing is None else [Text(piece.closing, "dim")]
        for line in (Text(piece.opening, "dim"), *code, *closing):
            line.no_wrap = True
            yield line


def coloured(text: str, language: str) -> Iterator[Text]:
    """Yield the lines of a text, highlighted."""
    shown = Text()
    for kind, piece in highlighted(text, language):
        shown.append(piece, OF_CODE.get(kind, ""))
    yield from shown.split("\n", allow_blank=True)


class Indented:
    """A text indented `by` spaces and wrapped, unless it is `no_wrap`, which the terminal wraps."""

    def __init__(self, text: Text, by: int = 2) -> None:
        self.text, self.by = text, by
        self.no_wrap = text.no_wrap

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        room = max(options.max_width - self.by, 1)
        for line in [self.text] if self.no_wrap else self.text.wrap(console, room):
            yield Text.assemble(" " * self.by if line else "", line, no_wrap=self.no_wrap)
