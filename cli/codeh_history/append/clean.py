"""`append --redact`: what is appended without its secrets, and how many there were."""

from __future__ import annotations

from ..base.env import Env
from ..base.words import some
from ..filters.redact import Redactor, text_in
from ..session.model import Part


class Cleaning(Redactor):
    """Redacts what is about to be stored, and tells of it once."""

    def __init__(self, env: Env) -> None:
        super().__init__()
        self._env = env

    def file(self, name: str, part: Part) -> Part:
        """An attached file; what is no text is stored as it is, which is said."""
        blob = part["inlineData"]
        if text_in(blob["data"]) is None:
            self._env.note(f"{name} ({blob['mimeType']}): stored unchanged: --redact reads only text")
        clean: Part = self.value(part)
        return clean

    def tell(self) -> None:
        """How many secrets there were, and of which kinds; never a value."""
        if self.counts:
            kinds = ", ".join(sorted(self.counts))
            self._env.note(f"{some(self.counts.total(), 'secret')} removed ({kinds})")
