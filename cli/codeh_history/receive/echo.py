"""The text of an answer on stdout as it arrives."""

from __future__ import annotations

from ..base.env import SIGPIPE, Env
from ..base.errors import HistoryError, Interrupted
from ..base.escape import safe
from ..session.model import Part


class Echo:
    """Writes it; a reader that went away does not stop the storing."""

    def __init__(self, env: Env) -> None:
        self.env = env
        self.tty = env.terminal(env.stdout)
        self.at_start = True
        self.broken: HistoryError | Interrupted | None = None

    def parts(self, parts: list[Part]) -> None:
        self.text("".join(part["text"] for part in parts if "text" in part and not part.get("thought")))

    def text(self, text: str) -> None:
        if not text or self.broken:
            return
        self.at_start = text.endswith("\n")
        try:
            self.env.write((safe(text) if self.tty else text).encode("utf-8", "replace"))
        except HistoryError as error:
            self.broken = error
        except Interrupted as error:
            if error.exit_code != 128 + SIGPIPE:
                raise
            self.broken = error

    def finish(self, parts: list[Part], *, begun: bool) -> None:
        """The end of an answer, which is shown whole where nothing of it was while it came."""
        if not begun:
            self.parts(parts)
        self.end()

    def end(self) -> None:
        if not self.at_start:
            self.text("\n")
