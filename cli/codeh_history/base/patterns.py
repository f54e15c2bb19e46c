"""Regular expressions that are compiled when they are first used: `re` is a fifth of a short command."""

from __future__ import annotations

from . import Any


class Pattern:
    """As `re.compile` makes it of this text, once something is asked of it."""

    def __init__(self, text: str | bytes) -> None:
        self.text = text

    def __getattr__(self, name: str) -> Any:
        import re

        found = getattr(re.compile(self.text), name)
        setattr(self, name, found)  # the next time it is there
        return found
