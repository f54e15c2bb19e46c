"""The export formats; a new one is a module and a line in `EXPORTERS`."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..session.view import View

EXPORTERS = {  # format → module with `export`, or MODULE.FUNCTION; imported on demand
    "contents": "entries.contents",
    "exchanges": "entries.exchanges",
    "persisted": "entries.persisted",
    "refs": "entries.refs",
    "history-items": "entries.history_items",
    "markdown": "markdown",
    "html": "html",
    "atif": "interchange.atif",
    "otel": "interchange.otel",
    "openai-jsonl": "interchange.openai_jsonl",
    "sharegpt": "interchange.sharegpt",
}


class Exported(NamedTuple):
    """An exported view, and counts of what the format cannot hold, by kind."""

    data: bytes
    left_out: Counter[str]


def export(view: View, form: str, more: int | str | None = None) -> Exported:
    """Export a view; `more`: the number of exchanges of `exchanges`, or the workspace of `refs`."""
    module, _, function = EXPORTERS[form].partition(".")
    write = getattr(import_module(f"{__name__}.{module}"), function or "export")
    output: bytes | Exported = write(view) if more is None else write(view, more)
    return Exported(output, Counter()) if isinstance(output, bytes) else output
