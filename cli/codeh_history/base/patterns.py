"""Users' regular expressions, with a limit on their time.

A search by `re` cannot be stopped, so a pattern that may backtrack runs in the `regex` module, which can.
An invalid pattern is exit 2, one that takes too long exit 65.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .errors import BadData, Usage

SECONDS = 10.0  # default time limit of a pattern or template, for a whole session
_MAY_BACKTRACK = frozenset("*+?{|")
_PIECE = re.compile(r"\{([1-9][0-9]*)[,}]|\\.|\[\^?\]?(?:\\.|[^]\\])*\]|.", re.DOTALL)
_BRACE = re.compile(r"(\\[NpP]\{[^}]*\}|\\.)|\{(?!\d*,?\d*\})", re.DOTALL)  # or an escape, which is kept
_MOST_REPEATS = 100_000  # `regex` copies what is repeated that often


class LimitedPattern:
    """A regular expression; its time limit applies to all texts of a call together.

    Errors name the option and the text's message (`names`; the last name is for all further texts).
    """

    def __init__(self, text: str, option: str, flags: int = 0, seconds: float = SECONDS) -> None:
        self.text, self.flags, self._seconds = text, flags, seconds
        self._described = f"{option} {text}".lstrip()
        self._is_fast = _MAY_BACKTRACK.isdisjoint(text)
        try:
            self._compiled = self._compile()
        except (ValueError, re.error, OverflowError, RecursionError) as error:
            reason = " ".join(str(error).split())
            raise Usage(f"{self._described}: invalid regular expression: {reason}") from None

    def _compile(self) -> Any:
        if _repeats(self.text) > _MOST_REPEATS:
            raise OverflowError("too many repeats")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            if self._is_fast:
                return re.compile(self.text, self.flags)
            import regex

            plain = _BRACE.sub(lambda brace: brace[1] or r"\{", self.text)  # `x{e}` would match inexactly
            try:
                return regex.compile(plain, int(self.flags))
            except regex.error as error:
                raise ValueError(error) from None

    def matches(self, texts: Sequence[str], names: Sequence[str]) -> list[bool]:
        """Return whether it matches, for each text."""
        search = self._compiled.search
        return self._each(lambda text, **limit: search(text, **limit) is not None, texts, names)

    def spans(self, texts: Sequence[str], names: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Return where it matches, for each text."""
        every = self._compiled.finditer
        return self._each(
            lambda text, **limit: [each.span() for each in every(text, **limit)], texts, names
        )

    def cut(self, texts: Sequence[str], names: Sequence[str]) -> list[str]:
        """Return the texts without the matches."""
        sub = self._compiled.sub
        return self._each(lambda text, **limit: sub("", text, **limit), texts, names)

    def _each(self, work: Callable[..., Any], texts: Sequence[str], names: Sequence[str]) -> list[Any]:
        if self._is_fast:
            return [work(text) for text in texts]
        results: list[Any] = []
        end = time.process_time() + self._seconds  # `regex` measures processor time too
        try:
            results.extend(work(text, timeout=max(end - time.process_time(), 1e-3)) for text in texts)
        except TimeoutError:
            name = names[min(len(results), len(names) - 1)]
            raise BadData(
                f"{self._described}: at message {name} it takes longer than {self._seconds:g} s "
                "(--timeout allows more): simplify it (repeats inside repeats are slow)"
            ) from None
        return results


def _repeats(text: str) -> int:
    """Return how often a pattern's items are repeated at least: a product if nested, else a sum."""
    sizes, last = [1], 1
    for piece in _PIECE.finditer(text):
        if piece[1]:
            sizes[-1] += last * (int(piece[1]) - 1)
        elif piece[0] == "(":
            sizes.append(1)
        elif piece[0] == ")" and len(sizes) > 1:
            last = sizes.pop()
            sizes[-1] += last - 1
        else:
            last = 1
    return sum(sizes)
