"""Code and Markdown in pieces, each with what it is: what is coloured by that is its user's business."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

KINDS = {  # of a token, or of the nearest kind above it
    Comment: "comment",
    Keyword: "keyword",
    Keyword.Constant: "constant",
    Name.Function: "name",
    Name.Class: "name",
    Name.Tag: "name",
    Name.Attribute: "constant",
    Name.Decorator: "constant",
    Name.Builtin: "constant",
    Number: "constant",
    Operator.Word: "keyword",
    String: "string",
    Generic.Heading: "strong",
    Generic.Subheading: "strong",
    Generic.Strong: "strong",
    Generic.Emph: "emphasis",
    Generic.Deleted: "deleted",
    Generic.Inserted: "inserted",
}


def pieces(code: str, language: str) -> Iterator[tuple[str, str]]:
    """The pieces of a text in their order, each behind its kind ("": nothing special).

    They are the text, character for character: where a lexer alters it, or none knows the language, it is
    one piece.
    """
    lexer = lexer_of(language)
    found = [(kind_of(token), text) for token, text in lexer.get_tokens(code)] if lexer is not None else []
    if "".join(text for _, text in found) == code:
        yield from found
    else:
        yield "", code


@cache
def lexer_of(language: str) -> Lexer | None:
    """What knows a language by one of its names; None where nothing does."""
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None


def kind_of(token: _TokenType) -> str:
    """What a token is, as far as colours tell it apart."""
    return next((KINDS[one] for one in reversed(token.split()) if one in KINDS), "")
