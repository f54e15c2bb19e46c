"""Which lines are worth their tokens: those that name what the rest of the context does not.

Later turns come back to names: paths, symbols, numbers, ids. A line of a tool's output that brings a
name nobody else mentions is worth more than its neighbours, so that is what an extract keeps of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

WORD = re.compile(r"\d+(?::\d\d)+|[\w~./@][\w./-]+\w")
_NAME = re.compile(r"/\w|\w_\w|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|[A-Z]{3}")
SUFFIX = 5  # characters after the last point of a name such as `main.py` or `80.5`, at most

_ERROR_HINTS = (
    "err", "fail", "fatal", "panic", "excep", "not found", "no such", "denied", "fault", "critical",
)  # fmt: skip
_ERROR = (  # compiled where a line may be one
    r"\b(?:ERROR|FATAL|FAIL|FAILED|FAILURE|PANIC|CRITICAL)\b"
    r"|(?:\berror|Error|Exception)(?:\[\w+\]| \w*\d+|\(s\))?(?::|\s*$)"
    r"|^\W*(?:error|fatal|panic|exception|failed|failure)\b"
    r"|\b(?:[Ff]ailed|fatal|panicked)\b"
    r"|[Cc]ommand not found|[Nn]o such file|[Pp]ermission denied|[Aa]ccess denied|npm ERR!"
    r"|[Ss]egmentation fault"
)
LONG_FIELD = 200  # characters of a field that is a line of its own, and of a line of fields
_LONG_LINE = 400  # a longer line is cut into pieces
_PIECE = re.compile(r".{1,160}(?:[,;:}\])\s]|$)|.{1,160}", re.DOTALL)


def names(text: str) -> set[str]:
    """The names in a text: paths, symbols, numbers, ids; no plain words."""
    return {word for word in set(WORD.findall(text)) if is_name(word)}


def is_name(word: str) -> bool:
    """Whether a word is more than a plain one: a path, a symbol, a number, an id."""
    stem, _, end = word.rpartition(".")
    if stem and 0 < len(end) <= SUFFIX and end.isalnum() and stem[-1].isalnum():
        return True
    if stem.replace(".", "").isdigit():
        return False  # a number with more digits than anybody repeats
    return word.replace(":", "").isdigit() or _NAME.search(word) is not None


def symbols(name: str) -> list[str]:
    """The names that a name is made of: of `editor.setText` the symbol, a path or a file as it is."""
    owner, _, end = name.rpartition(".")
    if not owner or "/" in name or len(end) <= SUFFIX:
        return [name]
    return [piece for piece in name.split(".") if is_name(piece)] or [name]


def lines_of(text: str, most: int = _LONG_LINE) -> list[str]:
    """The lines of a text; one above `most` characters in pieces, cut after punctuation or blanks."""
    lines = text.split("\n")
    if len(text) <= most or max(map(len, lines)) <= most:
        return lines
    return [piece for line in lines for piece in (_PIECE.findall(line) if len(line) > most else [line])]


def error_lines(text: str, lines: Sequence[str]) -> list[int]:
    """Which lines report an error; equal ones once."""
    lowered = text.lower()
    hints = [hint for hint in _ERROR_HINTS if hint in lowered]
    if not hints:
        return []
    seen: set[str] = set()
    found: list[int] = []
    for number, line in enumerate(lines):
        low = line.lower()
        if any(hint in low for hint in hints) and line not in seen and re.search(_ERROR, line):
            seen.add(line)
            found.append(number)
    return found


def upto(room: float, items: Iterable[T], cost: Callable[[T], float]) -> Iterator[T]:
    """The first of these, as many as there is room for."""
    for item in items:
        room -= cost(item)
        if room < 0:
            return
        yield item


def water_level(sizes: Sequence[int], room: int) -> int:
    """The largest level to which all larger sizes can be cut so that they fit the room together."""
    left = sorted(sizes)
    for position, size in enumerate(left):
        share = room // (len(left) - position)
        if size >= share:
            return max(0, share)
        room -= size
    return left[-1] if left else 0
