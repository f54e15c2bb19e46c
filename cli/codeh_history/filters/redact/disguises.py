"""Texts inside a text: percent-encoded, base64, JSON with escapes; what is found is placed in the text."""

from __future__ import annotations

import re
from binascii import Error as NotBase64
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile

from .spans import Span

Find = Callable[[str], Iterable[Span]]
_PERCENT = re.compile(r"(?:%(?:25)*[0-9A-Fa-f]{2})++\+{0,2}")  # `%3A+`: a colon and a space
# One sign is enough where it stands between a name and a value.
_ESCAPED = re.compile("%(?:25)*(?:3[AaDd]|7[Cc])|%[0-9A-Fa-f]{2}[^%]*+%[0-9A-Fa-f]{2}")
_TWICE = re.compile("%(?:25)+(?=[0-9A-Fa-f]{2})")
_UNICODE = re.compile(r"\\+u00([2-7][0-9A-Fa-f])")
_BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/_-])([A-Za-z0-9+/]{24,}={0,2})(?:(?:\\n|\r?\n)[A-Za-z0-9+/]{1,100}){0,400}={0,2}(?![A-Za-z0-9_-])"
)
_LINES = re.compile(r"([A-Za-z0-9+/=]+)(?:\\n|\r?\n|$)")
_SHORTEST = 24  # characters that are looked at to see whether they are base64 of a text
_RUN = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,}+")
_TEXT = re.compile(r"[\x09\x0a\x0d\x1b -~\x80-\U0010ffff]*")


def coded(text: str) -> Iterator[int]:
    """Where base64 of a text may begin."""
    for run in _RUN.finditer(text):
        if any(_begins_text(run[0][at : at + _SHORTEST]) for at in (0, 1)):
            yield run.start()


def spans(text: str, find: Find, *, base64: bool) -> Iterator[Span]:
    """Where the text holds a secret in another spelling; `base64`: `coded` finds a place in it."""
    if "%" in text and _ESCAPED.search(text):
        yield from decoded(text, _PERCENT, _unquoted, find)
    if "\\u00" in text:
        yield from decoded(text, _UNICODE, lambda match: chr(int(match[1], 16)), find)
    for match in _BASE64.finditer(text) if base64 else ():
        for data in dict.fromkeys((match[0], *_wrapped(match[0]), match[1])):  # all its lines, or some
            inside = text_in("".join(data.replace("\\n", "").split()))
            hidden = next(iter(find(inside)), None) if inside is not None else None
            if hidden:
                yield Span(match.start(), match.start() + len(data), hidden.kind)
                break


def _begins_text(data: str) -> bool:
    """Whether what this base64 holds is a text, a character that is cut aside."""
    raw = a2b_base64(data + "==" if len(data) % 4 else data)
    head = raw.decode("utf-8", "ignore")
    return _TEXT.fullmatch(head) is not None and len(head.encode()) >= len(raw) - 3


def _wrapped(data: str) -> tuple[str, ...]:
    """Its lines of one length, with the shorter one after them, and without: a word may follow."""
    lines = list(_LINES.finditer(data))
    long = len(list(takewhile(lambda line: len(line[1]) == len(lines[0][1]), lines)))
    return tuple(data[: line.end(1)] for line in reversed(lines[long - 1 : long + 1]))


def text_in(data: str) -> str | None:
    """The text that this base64 holds, None where it holds none."""
    if len(data) < 16:
        return None
    try:
        text = a2b_base64(data + "==").decode() if _begins_text(data[:64]) else "\0"
    except (NotBase64, ValueError):
        return None
    return text if _TEXT.fullmatch(text) else None


def _unquoted(match: re.Match[str]) -> str:
    signs = match[0].rstrip("+")
    raw = bytes.fromhex(_TWICE.sub("%", signs).replace("%", ""))
    text = raw.decode("utf-8", "replace") if len(raw) > 1 else raw.decode("latin-1")
    return text + " " * (len(match[0]) - len(signs))


def decoded(
    text: str, pattern: re.Pattern[str], decode: Callable[[re.Match[str]], str], find: Find
) -> Iterator[Span]:
    """What is found once these places are decoded, where it stands in the text itself."""
    pieces: list[str] = []
    places: list[int] = []  # where each character of the decoded text stands in this one
    at = 0
    for match in pattern.finditer(text):
        new = decode(match)
        pieces += [text[at : match.start()], new]
        places += [*range(at, match.start()), *[match.start()] * len(new)]
        at = match.end()
    pieces.append(text[at:])
    places += range(at, len(text) + 1)
    for span in find("".join(pieces)):
        end = span.end
        while places[end] == places[end - 1]:
            end += 1  # the whole of what was decoded at once
        yield Span(places[span.start], places[end], span.kind)


def is_base64(data: str) -> bool:
    try:
        a2b_base64(data, strict_mode=True)
    except (NotBase64, ValueError):
        return False
    return True
