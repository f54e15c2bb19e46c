"""A table: tab-separated columns for a pipe, aligned ones for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..escape import visible


def separated(rows: Iterable[Sequence[object]]) -> bytes:
    """A line a row, its columns separated by tabs; an absent value is an empty column."""
    return "".join("\t".join(_text(value) for value in row) + "\n" for row in rows).encode()


def aligned(names: Sequence[str], rows: Iterable[Sequence[object]], *, width: int, colour: bool) -> bytes:
    """The same for a terminal of this width: a heading, numbers to the right, long texts cut."""
    from rich.table import Table
    from rich.text import Text

    from .terminal import printed

    kept = list(rows)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, name in enumerate(names):
        numeric = bool(kept) and all(isinstance(row[number], int) for row in kept)
        table.add_column(name, justify="right" if numeric else "left", no_wrap=True, overflow="ellipsis")
    for row in kept:
        table.add_row(*(Text(_text(value)) for value in row))
    return printed(table, width=width, colour=colour)


def _text(value: object) -> str:
    if value is None:
        return ""
    return visible(",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
