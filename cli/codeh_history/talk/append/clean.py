"""`append --redact`: what is appended without its secrets, and how many there were."""

from __future__ import annotations

from ...base.env import Env
from ...base.words import plural
from ...filters.redact import Redactor, decoded_text
from ...session.model import Part


class Cleaning(Redactor):
    """Redacts what is about to be stored, and notes once what it removed."""

    def __init__(self, env: Env) -> None:
        super().__init__()
        self._env = env

    def file(self, name: str, part: Part) -> Part:
        """An attached file; one that is not text is stored unchanged, with a note."""
        blob = part["inlineData"]
        if decoded_text(blob["data"]) is None:
            self._env.note(f"{name} ({blob['mimeType']}): stored unchanged: --redact reads only text")
        clean: Part = self.value(part)
        return clean

    def report(self) -> None:
        """Note how many secrets were removed, and of which kinds; never a value."""
        if self.counts:
            kinds = ", ".join(sorted(self.counts))
            self._env.note(f"{plural(self.counts.total(), 'secret')} removed ({kinds})")
