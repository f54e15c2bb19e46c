"""Many beginnings, looked for in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
# After these a word begins, although a letter stands before it: `\n`, `%22`, a terminal's colour.
_ESCAPES = re.compile(
    r"\\(?:[nrtbf]|u00[0-9A-Fa-f]{2}|x[0-9A-Fa-f]{2})|%[0-9A-Fa-f]{2}|\[[0-9;]{0,8}[mK]", re.ASCII
)
_SIGNS = ("\\", "%", "\x1b")


class Anchors(Generic[T]):
    """What begins with one of these; those that begin with a letter or digit only where a word begins."""

    def __init__(self, starts: Iterable[tuple[str, T]]) -> None:
        rows = list(starts)
        known = {start for start, _ in rows}
        self._rows = {
            longest: [(start, item) for start, item in rows if longest.startswith(start)]
            for longest in known
        }
        words = {start for start in known if start[0].isalnum()}
        self._words = re.compile(r"\b" + _any_of(words), re.ASCII)
        self._signs = re.compile(_any_of(known - words))

    def places(self, text: str) -> Iterator[tuple[int, str, T]]:
        """Each place where one begins, with what may; the same place comes once for each of them."""
        escaped = any(sign in text for sign in _SIGNS)
        words = _ESCAPES.sub(_blank, text) if escaped else text
        for found in self._words.finditer(words):
            for start, item in self._rows[found[1]]:
                yield found.start(), start, item
        for found in self._signs.finditer(text):
            for start, item in self._rows[found[1]]:
                yield found.start(), start, item


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _any_of(starts: Iterable[str]) -> str:
    """A pattern of no width for all of them; at most places the first letter alone says no."""
    groups: dict[str, list[str]] = {}
    for start in sorted(starts, key=len, reverse=True):
        groups.setdefault(start[0], []).append(re.escape(start[1:]))
    firsts = "".join(map(re.escape, groups))
    rests = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in groups.items())
    return f"(?=[{firsts}])(?=({rests}))"
