"""A model's Markdown for a terminal: what it wrote, character for character, in the terminal's own colours.

Nothing is laid out anew: what looks like a tag, an entity or an image is text that somebody may need.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound
from rich.text import Text

from . import fences, plain

# Names of the terminal's palette, readable on light and dark: no white, no black, no yellow.
STYLES = {
    Comment: "dim italic",
    Keyword: "magenta",
    Keyword.Constant: "cyan",
    Name.Function: "blue",
    Name.Class: "blue",
    Name.Tag: "blue",
    Name.Attribute: "cyan",
    Name.Decorator: "cyan",
    Name.Builtin: "cyan",
    Number: "cyan",
    Operator.Word: "magenta",
    String: "green",
    Generic.Heading: "bold",
    Generic.Subheading: "bold",
    Generic.Strong: "bold",
    Generic.Emph: "italic",
    Generic.Deleted: "red",
    Generic.Inserted: "green",
}
LONGEST = 200_000  # characters in colours: beyond it a lexer takes longer than anybody reads


def lines(text: str) -> Iterator[Text]:
    """The lines of a text: prose, which may be wrapped, and fenced code, which may not (`no_wrap`)."""
    if len(text) > LONGEST:
        yield from map(Text, plain.text_lines(text))
        return
    for is_code, pieces in groupby(
        fences.split("\n".join(plain.text_lines(text))), lambda piece: isinstance(piece, fences.Fenced)
    ):
        if not is_code:
            yield from coloured("\n".join(map(str, pieces)), lexer("markdown"))
            continue
        for block in pieces:
            assert isinstance(block, fences.Fenced)  # noqa: S101 - as grouped
            yield Text(block.opening, style="dim", no_wrap=True)
            for line in coloured("\n".join(block.lines), lexer(block.language)) if block.lines else ():
                line.no_wrap = True
                yield line
            if block.closing is not None:
                yield Text(block.closing, style="dim", no_wrap=True)


EXACT = {"stripnl": False, "ensurenl": False}  # every character comes out as it went in


def lexer(language: str) -> Lexer | None:
    """What knows a fence's language; None where nothing does."""
    try:
        return get_lexer_by_name(language.lower(), **EXACT) if language else None
    except ClassNotFound:
        return None


def coloured(code: str, lexer: Lexer | None) -> Iterator[Text]:
    """The lines of a text in the colours that a lexer gives it."""
    text = Text()
    for kind, value in lexer.get_tokens(code) if lexer is not None else ():
        text.append(value, style_of(kind))
    yield from (text if text.plain == code else Text(code)).split("\n", allow_blank=True)


def style_of(kind: _TokenType) -> str:
    """The style of a token: its own, else that of the nearest kind above it."""
    for one in reversed(kind.split()):
        if one in STYLES:
            return STYLES[one]
    return ""
