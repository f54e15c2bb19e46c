"""A table: tab-separated columns for a pipe, aligned ones for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..base.escape import visible


def separated(rows: Iterable[Sequence[object]]) -> bytes:
    """A line a row, its columns separated by tabs; an absent value is an empty column."""
    return "".join("\t".join(_text(value) for value in row) + "\n" for row in rows).encode()


def aligned(
    names: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    width: int,
    colour: bool,
    flexible: int = 0,
    right: Sequence[str] = (),
) -> bytes:
    """The same for a terminal of this width: a heading, numbers and the columns of `right` to the right.

    The last `flexible` columns are cut where the line is too long.
    """
    from rich.table import Table
    from rich.text import Text

    from .terminal import printed

    kept = [[_text(value) for value in row] for row in rows]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, name in enumerate(names):
        cells = [row[number] for row in kept]
        fixed = number < len(names) - flexible
        table.add_column(
            name, no_wrap=True, overflow="ellipsis",
            justify="right" if name in right or (cells and all(map(str.isdecimal, cells))) else "left",
            min_width=max(map(len, [name, *cells])) if fixed else None,
        )  # fmt: skip
    for row in kept:
        table.add_row(*map(Text, row))
    return printed(table, width=width, colour=colour)


def _text(value: object) -> str:
    if value is None:
        return ""
    return visible(",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
