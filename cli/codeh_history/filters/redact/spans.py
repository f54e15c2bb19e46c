"""Spans of secrets in a text, plain or encoded (percent, base64, JSON escapes), and their replacement."""

from __future__ import annotations

import re
from binascii import Error as NotBase64
from binascii import a2b_base64
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from operator import itemgetter
from typing import NamedTuple

_VAGUE_KINDS = ("assignment", "option", "signature")  # kinds that describe the context, not the secret
_PERCENT = re.compile(r"(?:%(?:25)*[0-9A-Fa-f]{2})++\+{0,2}")  # `%3A+`: a colon and a space
_REPEATED_PERCENT = re.compile("%(?:25)+(?=[0-9A-Fa-f]{2})")
_UNICODE = re.compile(r"(?<!\\)\\++u00([2-7][0-9A-Fa-f])")
_BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/_-])([A-Za-z0-9+/]{24,}={0,2})(?:(?:\\n|\r?\n)[A-Za-z0-9+/]{1,100}){0,400}={0,2}(?![A-Za-z0-9_-])"
)
_BASE64_LINES = re.compile(r"([A-Za-z0-9+/=]+)(?:\\n|\r?\n|$)")
_MIN_BASE64 = 24  # characters that are decoded to decide whether they are base64 of a text
_RUN = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,}+")
_TEXT = re.compile(r"[\x09\x0a\x0d\x1b -~\x80-\U0010ffff]*")


class Span(NamedTuple):
    """The position of a secret, and its kind."""

    start: int
    end: int
    kind: str


Find = Callable[[str], Iterable[Span]]


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


def base64_starts(text: str) -> Iterator[int]:
    """Yield the positions where base64 of a text may begin."""
    for run in _RUN.finditer(text):
        if any(_begins_text(run[0][at : at + _MIN_BASE64]) for at in (0, 1)):
            yield run.start()


def encoded_spans(text: str, find: Find, *, base64: bool) -> Iterator[Span]:
    """Yield the encoded secrets in a text; `base64`: whether `base64_starts` yields a position in it."""
    if "%" in text and _PERCENT.search(text):
        yield from decoded(text, _PERCENT, _percent_decoded, find)
    if "\\u00" in text:
        yield from decoded(text, _UNICODE, lambda match: chr(int(match[1], 16)), find)
    for match in _BASE64.finditer(text) if base64 else ():
        lines = list(_BASE64_LINES.finditer(match[0]))
        long = len(list(takewhile(lambda line: len(line[1]) == len(lines[0][1]), lines)))  # noqa: B023
        # all lines; those of equal length, with and without the shorter next one; the first
        ends = [
            match.end(),
            *(match.start() + line.end(1) for line in reversed(lines[long - 1 : long + 1])),
        ]
        for end in dict.fromkeys((*ends, match.end(1))):
            data = text[match.start() : end]
            text_inside = decoded_text("".join(data.replace("\\n", "").split()))
            secret = next(iter(find(text_inside)), None) if text_inside is not None else None
            if secret:
                yield Span(match.start(), end, secret.kind)
                break


def _begins_text(data: str) -> bool:
    """Whether this base64 encodes text, ignoring a truncated last character."""
    raw = a2b_base64(data + "==" if len(data) % 4 else data)
    head = raw.decode("utf-8", "ignore")
    return _TEXT.fullmatch(head) is not None and len(head.encode()) >= len(raw) - 3


def decoded_text(data: str) -> str | None:
    """Decode base64 to text; None if it does not encode text."""
    if len(data) < 16:
        return None
    try:
        text = a2b_base64(data + "==").decode() if _begins_text(data[:64]) else "\0"
    except (NotBase64, ValueError):
        return None
    return text if _TEXT.fullmatch(text) else None


def _percent_decoded(match: re.Match[str]) -> str:
    signs = match[0].rstrip("+")
    raw = bytes.fromhex(_REPEATED_PERCENT.sub("%", signs).replace("%", ""))
    text = raw.decode("utf-8", "replace") if len(raw) > 1 else raw.decode("latin-1")
    return text + " " * (len(match[0]) - len(signs))


def decoded(
    text: str, pattern: re.Pattern[str], decode: Callable[[re.Match[str]], str], find: Find
) -> Iterator[Span]:
    """Decode the matches of `pattern`; yield what `find` returns, with positions in the original text."""
    pieces: list[str] = []
    places: list[int] = []  # position in the original of each decoded character
    done = 0
    for match in pattern.finditer(text):
        new = decode(match)
        pieces += [text[done : match.start()], new]
        places += [*range(done, match.start()), *[match.start()] * len(new)]
        done = match.end()
    pieces.append(text[done:])
    places += range(done, len(text) + 1)
    for span in find("".join(pieces)):
        end = span.end
        while places[end] == places[end - 1]:
            end += 1  # include the whole encoded sequence
        yield Span(places[span.start], places[end], span.kind)


def is_base64(data: str) -> bool:
    try:
        a2b_base64(data, strict_mode=True)
    except (NotBase64, ValueError):
        return False
    return True
