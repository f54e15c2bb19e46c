"""The text of an answer on stdout as it arrives."""

from __future__ import annotations

from ...base.env import SIGPIPE, Env
from ...base.errors import HistoryError, Interrupted
from ...base.escape import safe
from ...session.model import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...render.wrapping import Wrapping


class Echo:
    """Writes it, wrapped between words on a terminal; a reader that went away does not stop the storing."""

    def __init__(self, env: Env) -> None:
        self.env = env
        self.wrapping: Wrapping | None = None
        if env.terminal(env.stdout):
            import shutil

            from ...render.wrapping import Wrapping

            self.wrapping = Wrapping(lambda: shutil.get_terminal_size().columns)
        self.at_start = True
        self.broken: HistoryError | Interrupted | None = None

    def parts(self, parts: list[Part]) -> None:
        self.text("".join(part["text"] for part in parts if "text" in part and not part.get("thought")))

    def text(self, text: str) -> None:
        if not text or self.broken:
            return
        self.at_start = text.endswith("\n")
        self._write(self.wrapping.feed(safe(text)) if self.wrapping else text)

    def _write(self, text: str) -> None:
        try:
            self.env.write(text.encode("utf-8", "replace"))
        except HistoryError as error:
            self.broken = error
        except Interrupted as error:
            if error.exit_code != 128 + SIGPIPE:
                raise
            self.broken = error

    def end(self) -> None:
        if not self.at_start:
            self.text("\n")
