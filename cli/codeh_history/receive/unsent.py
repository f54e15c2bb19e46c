"""The text of a message whose session was removed: kept in a file, which the error names."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.env import Env
from ..base.errors import NotFound
from ..session.model import Part
from ..session.records import dumps
from ..store import unsent
from ..store.resolve import Target


class Unsent:
    """The text of a message that has no session any more, in `HOME/unsent/SESSION-ID.txt`."""

    def __init__(self, env: Env, target: Target, id: str, options: str) -> None:
        """`options` are those of `append` that give a message this one's role."""
        self._env = env
        self._target = target
        self._id = id
        self._options = options
        self._state = "nothing had arrived"

    def keep(self, parts: Sequence[Part]) -> None:
        """Write all that has arrived to the file, durable on return."""
        text = text_of(parts)
        if text:
            self._state = unsent.kept_text(self._env, self._target.path, self._id, text, self._options)

    def __str__(self) -> str:
        return f"the session was removed while this message was written; {self._state}"

    def error(self, parts: Sequence[Part], reason: str = "") -> NotFound:
        """The error to end with, once these parts are kept."""
        self.keep(parts)
        return NotFound(f"{self._target.id}: {reason}{self}")


def text_of(parts: Sequence[Part]) -> str:
    """The text of a message; other parts, thoughts aside, as a line of JSON each."""
    pieces = []
    for part in parts:
        if isinstance(part.get("text"), str):
            pieces.append("" if part.get("thought") else part["text"])
        else:
            pieces.append(f"\n{dumps(part).decode()}\n")
    return "".join(pieces)
