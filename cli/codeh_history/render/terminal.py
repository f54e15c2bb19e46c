"""What rich lays out for a terminal. Only imported when stdout is one."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from rich.console import RenderableType


def printed(*renderables: RenderableType, width: int, colour: bool) -> bytes:
    """The renderables one below the other, as bytes for a terminal of this width, which wraps `no_wrap`.

    Their texts are safe already (`base.escape`).
    """
    out = StringIO()
    console = Console(
        file=out, width=width, force_terminal=True, no_color=not colour, markup=False, emoji=False,
        highlight=False, legacy_windows=False, _environ={"COLORTERM": "", "TERM": "xterm-256color"},
    )  # fmt: skip
    for renderable in renderables:
        console.print(renderable, soft_wrap=bool(getattr(renderable, "no_wrap", False)))
    return out.getvalue().encode("utf-8", "backslashreplace")
