"""Code and Markdown in pieces of a kind; the colours of the kinds are the caller's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String
from pygments.util import ClassNotFound

KINDS = {  # of a token, or of the nearest kind above it
    Comment: "comment", Keyword: "keyword", Keyword.Constant: "constant", Name.Function: "name",
    Name.Class: "name", Name.Tag: "name", Name.Attribute: "constant", Name.Decorator: "constant",
    Name.Builtin: "constant", Number: "constant", Operator.Word: "keyword", String: "string",
    Generic.Heading: "strong", Generic.Subheading: "strong", Generic.Strong: "strong",
    Generic.Emph: "emphasis", Generic.Deleted: "deleted", Generic.Inserted: "inserted",
}  # fmt: skip


def pieces(code: str, language: str) -> Iterator[tuple[str, str]]:
    """The pieces of a text in their order, each behind its kind ("": nothing special).

    They are the text, character for character: where a lexer alters it, or none knows the language, it is
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
    """The lexer of a language by one of its names; None where there is none."""
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None
