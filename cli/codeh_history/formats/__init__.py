"""Formats that a view can be written in: a new one is a module and a line in `EXPORTERS`."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..session.fold import View

EXPORTERS = {  # form → module with `export`, or module.function; imported when needed
    "contents": "entries.contents",
    "exchanges": "entries.exchanges",
    "persisted": "entries.persisted",
    "refs": "refs",
    "history-items": "history_items",
    "markdown": "markdown",
    "html": "html",
    "atif": "atif",
    "otel": "otel",
    "openai-jsonl": "openai_jsonl",
    "sharegpt": "sharegpt",
}


class Exported(NamedTuple):
    """A view in another form, and how much of what kind has no place in it."""

    data: bytes
    left: Counter[str]


def export(view: View, form: str, more: int | str | None = None) -> Exported:
    """The view in one of these forms; `more`: how many exchanges, or whose workspace."""
    module, _, function = EXPORTERS[form].partition(".")
    write = getattr(import_module(f"{__name__}.{module}"), function or "export")
    made: bytes | Exported = write(view) if more is None else write(view, more)
    return Exported(made, Counter()) if isinstance(made, bytes) else made
