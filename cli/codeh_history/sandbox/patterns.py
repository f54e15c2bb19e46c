"""Regular expressions as users give them: a wrong one is exit 2, one that takes too long exit 65."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import BadData, Usage
from .process import SECONDS, Sandbox, TooMuch

_BACKTRACKS = frozenset("*+?{|")  # without one of these a search is over after one look at each place


def compiled(text: str, option: str, flags: int = 0) -> re.Pattern[str]:
    """The regular expression of an option; a wrong one is exit 2."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(text, flags)
    except (re.error, OverflowError, RecursionError, ValueError, MemoryError) as error:
        reason = " ".join(str(error).split()) or "too large"
        raise Usage(f"{option} {text}: no regular expression: {reason}") from None


class Pattern:
    """A user's regular expression, at work on many texts within its seconds.

    `option` is what an error calls it by; `names` say of which message each text is.
    """

    def __init__(self, text: str, option: str, flags: int = 0, seconds: float = SECONDS) -> None:
        self.text = text
        self.option = option
        self.flags = flags
        self.seconds = seconds
        self._own = compiled(text, option, flags)

    def found(self, texts: Sequence[str], names: Sequence[str]) -> list[bool]:
        """Whether it is found in each of the texts."""
        if _BACKTRACKS.isdisjoint(self.text):
            return [self._own.search(text) is not None for text in texts]
        return list(self._confined("found", texts, names))

    def cut(self, texts: Sequence[str], names: Sequence[str]) -> list[str]:
        """The texts without what it matches."""
        if _BACKTRACKS.isdisjoint(self.text):
            return [self._own.sub("", text) for text in texts]
        return list(self._confined("cut", texts, names))

    def _confined(self, work: str, texts: Sequence[str], names: Sequence[str]) -> Iterator[Any]:
        if not texts:
            return
        done = 0
        with Sandbox(self.seconds) as sandbox:
            try:
                for answer in sandbox.ask(work, self.text, int(self.flags), list(texts)):
                    done += 1
                    yield answer
            except TooMuch as error:
                where = f"{self.option} {self.text}"
                raise BadData(
                    f"{where}: at message {names[min(done, len(names) - 1)]} {error}; nothing changed: "
                    "simplify it (repeats inside repeats are slow)"
                ) from None
