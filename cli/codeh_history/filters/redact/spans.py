"""Spans of secrets in a text, and their replacement."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

_VAGUE_KINDS = ("assignment", "option", "signature")  # kinds that describe the context, not the secret


class Span(NamedTuple):
    """The position of a secret, and its kind."""

    start: int
    end: int
    kind: str


def span_of(kind: str, match: re.Match[str]) -> Span:
    """Return the span of a match's group `secret`, or of the whole match."""
    return Span(*match.span("secret" if match.groupdict().get("secret") else 0), kind)


def mark(kind: str) -> str:
    return f"[redacted:{kind}]"


def merged(spans: Iterable[Span]) -> list[Span]:
    """Sort spans and merge overlapping ones, with the most specific kind."""
    result: list[Span] = []
    for span in sorted(spans, key=itemgetter(0)):
        if result and span.start < result[-1].end:
            last = result[-1]
            kind = max(last.kind, span.kind, key=lambda kind: (kind != "", kind not in _VAGUE_KINDS))
            result[-1] = Span(last.start, max(last.end, span.end), kind)
        else:
            result.append(span)
    return result


def split_spans(pieces: Sequence[str], spans: Sequence[Span]) -> list[list[Span]]:
    """Split the merged spans of a text among its pieces; the continuation of a span has no kind."""
    result: list[list[Span]] = []
    start = 0
    for piece in pieces:
        end = start + len(piece)
        first = bisect_right(spans, start, key=itemgetter(1))
        inside: list[Span] = []
        for span in spans[first : bisect_left(spans, end, key=itemgetter(0))]:
            kind = span.kind if span.start >= start else ""
            inside.append(Span(max(span.start - start, 0), min(span.end, end) - start, kind))
        result.append(inside)
        start = end
    return result


def without(text: str, spans: Iterable[Span]) -> str:
    """Replace each span by its mark, or by nothing if it is a continuation."""
    new, done = [], 0
    for span in spans:
        new += [text[done : span.start], mark(span.kind) if span.kind else ""]
        done = span.end
    return "".join((*new, text[done:]))


def ascii_lower(text: str) -> str:
    """Return the text in lower case, with unchanged positions."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if c.isascii() else c for c in text)
