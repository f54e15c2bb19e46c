"""Split code and Markdown into highlighted pieces; the caller chooses the colours."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String
from pygments.util import ClassNotFound

KINDS = {  # the kind of a type of tokens and of its subtypes
    Comment: "comment", Keyword: "keyword", Keyword.Constant: "constant", Name.Function: "name",
    Name.Class: "name", Name.Tag: "name", Name.Attribute: "constant", Name.Decorator: "constant",
    Name.Builtin: "constant", Number: "constant", Operator.Word: "keyword", String: "string",
    Generic.Heading: "strong", Generic.Subheading: "strong", Generic.Strong: "strong",
    Generic.Emph: "emphasis", Generic.Deleted: "deleted", Generic.Inserted: "inserted",
}  # fmt: skip


def pieces(code: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a text with their kinds ("": plain).

    Joined, the pieces are the exact text: if the lexer changes it, or the language is unknown, the text is
    one piece.
    """
    lexer = lexer_of(language)
    tokens = list(lexer.get_tokens(code)) if lexer is not None else []
    if "".join(text for _, text in tokens) != code:
        yield "", code
        return
    for token, text in tokens:
        yield next((KINDS[kind] for kind in reversed(token.split()) if kind in KINDS), ""), text


@cache
def lexer_of(language: str) -> Lexer | None:
    """Return the lexer of a language; None if it is unknown."""
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None
