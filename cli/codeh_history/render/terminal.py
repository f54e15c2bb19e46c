"""What rich lays out for a terminal. Only imported when stdout is one."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.segment import Segment

from ..base.escape import safe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import ConsoleOptions, RenderableType


class Safe:
    """Whatever a renderable comes to, no text of it can act on the terminal.

    Texts are made safe before they reach rich; this holds also where Markdown decodes an entity
    (`&#x202e;`) or a library adds text of its own.
    """

    def __init__(self, inner: RenderableType) -> None:
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self.inner, options):
            yield segment if segment.control else Segment(safe(segment.text), segment.style)


def printed(*renderables: RenderableType, width: int, colour: bool) -> bytes:
    """The renderables one below the other, as bytes for a terminal of this width, which wraps `no_wrap`."""
    out = StringIO()
    console = Console(
        file=out, width=width, force_terminal=True, no_color=not colour, markup=False, emoji=False,
        highlight=False, legacy_windows=False, _environ={"COLORTERM": "", "TERM": "xterm-256color"},
    )  # fmt: skip
    for renderable in renderables:
        console.print(Safe(renderable), soft_wrap=bool(getattr(renderable, "no_wrap", False)))
    return out.getvalue().encode("utf-8", "backslashreplace")
