"""`append --redact`: what is appended without its secrets, and how many there were."""

from __future__ import annotations

from typing import Any

from ..base.env import Env
from ..base.words import some
from ..filters.redact import Redactor, text_in
from ..session.model import Part


class Cleaning:
    """Redacts what is about to be stored, and tells of it once."""

    def __init__(self, env: Env) -> None:
        self._env = env
        self._redactor = Redactor()

    def value(self, value: Any, key: str = "parts") -> Any:
        """Parts, references or a whole message; the same object where nothing was found."""
        return self._redactor.value(value, key)

    def file(self, name: str, part: Part) -> Part:
        """An attached file; what is no text is stored as it is, which is said."""
        blob = part["inlineData"]
        if text_in(blob["data"]) is None:
            self._env.note(f"{name} ({blob['mimeType']}): stored unchanged: --redact reads only text")
        clean: Part = self._redactor.value(part)
        return clean

    def tell(self) -> None:
        """How many secrets there were, and of which kinds; never a value."""
        counts = self._redactor.counts
        if counts:
            self._env.note(f"{some(sum(counts.values()), 'secret')} removed ({', '.join(sorted(counts))})")
