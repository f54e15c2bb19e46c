"""Other forms that a view can be written in: a new one is a module and a line in `EXPORTERS`."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..session.fold import View

EXPORTERS = {  # form → module, imported when it is asked for
    "contents": "contents",
    "exchanges": "exchanges",
    "persisted": "persisted",
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
    given = () if more is None else (more,)
    made: bytes | Exported = import_module(f"{__name__}.{EXPORTERS[form]}").export(view, *given)
    return Exported(made, Counter()) if isinstance(made, bytes) else made
