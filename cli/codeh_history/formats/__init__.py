"""Other forms that a view can be written in: a new one is a module and a line in `EXPORTERS`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..session.fold import View

EXPORTERS = {  # form → module, imported when it is asked for
    "contents": "contents",
    "exchanges": "exchanges",
    "persisted": "persisted",
    "refs": "refs",
    "markdown": "markdown",
    "html": "html",
}


def export(view: View, form: str, more: int | str | None = None) -> bytes:
    """The view in one of these forms; `more`: how many exchanges, or whose workspace."""
    given = () if more is None else (more,)
    written: bytes = import_module(f"{__name__}.{EXPORTERS[form]}").export(view, *given)
    return written
