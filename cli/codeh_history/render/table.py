"""Format tables and bar charts: tab-separated for a pipe, aligned for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from ..base.escape import visible
from ..base.words import excerpt

if TYPE_CHECKING:
    from rich.console import RenderableType

LENGTH = 40  # length of the longest bar
GAP = 2  # between columns

Groups = Mapping[str, Mapping[str, int]]


def separated(rows: Iterable[Sequence[object]]) -> bytes:
    """Format rows as lines of tab-separated columns; an absent value is an empty column."""
    return "".join("\t".join(map(_text, row)) + "\n" for row in rows).encode()


def aligned(
    names: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    width: int,
    colour: bool,
    flexible: int = 0,
    right: Sequence[str] = (),
) -> bytes:
    """Format a table for a terminal, with headings; numbers and the columns in `right` are right-aligned.

    If lines are too long, the last `flexible` columns are truncated; if that is not enough, the first
    column is printed on lines of its own.
    """
    from rich.table import Table
    from rich.text import Text

    cells = [[_text(value) for value in row] for row in rows]
    cut = len(names) - flexible
    table = Table(box=None, pad_edge=False, header_style="bold")
    widths = []
    for number, (name, *column) in enumerate(zip(names, *cells, strict=True)):
        widths.append(len(name) if number >= cut else max(map(len, (name, *column))))
        numbers = name in right or (column and all(map(str.isdecimal, column)))
        # rich narrows columns that may wrap; cells are `no_wrap`, so that they end with an ellipsis instead
        table.add_column(name, no_wrap=number < cut, justify="right" if numbers else "left")
    fixed = sum(widths) + GAP * (len(names) - 1)
    if fixed - widths[0] <= width < fixed:
        rest = (row[1:] for row in cells)
        room = width - GAP
        lines = aligned(names[1:], rest, width=room, colour=colour, flexible=flexible, right=right)
        pairs = zip((names[0], *(row[0] for row in cells)), lines.decode().splitlines(), strict=True)
        return "".join(f"{first}\n  {line}\n" for first, line in pairs).encode()
    for row in cells:
        table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in row))
    return printed(table, width=max(width, fixed), colour=colour)


def bars(groups: Groups, whole_of: Mapping[str, int]) -> bytes:
    """Format a line for each amount: `GROUP NAME AMOUNT SHARE BAR`, separated by tabs.

    Shares refer to the group's total in `whole_of`, by default the sum of its amounts.
    """
    return separated(
        (group, name, amount, share(amount, whole), "#" * length(amount, whole))
        for group, amounts in groups.items()
        for whole in (whole_of.get(group, sum(amounts.values())),)
        for name, amount in amounts.items()
    )


def drawn_bars(groups: Groups, whole_of: Mapping[str, int], *, width: int, colour: bool) -> bytes:
    """Format a small table with bars for each group, for a terminal."""
    third = width // 3
    tables = []
    for group, amounts in groups.items():
        whole = whole_of.get(group, sum(amounts.values()))
        heading = (group if group in whole_of else f"by {group}", "tokens", "share", "")
        rows = [
            (excerpt(name, third), f"{amount:,}", share(amount, whole),
             "█" * length(amount, whole, min(LENGTH, third)))
            for name, amount in amounts.items()
        ]  # fmt: skip
        if rows:
            tables.append(
                aligned(heading, rows, width=width, colour=colour, flexible=1, right=heading[1:3])
            )
    return b"\n".join(tables)


def share(amount: int, whole: int) -> str:
    return f"{round(100 * amount / whole) if whole else 0}%"


def length(amount: float, whole: float, most: int = LENGTH) -> int:
    """Return the length of an amount's bar, at least 1 unless the amount is 0."""
    return max(1, round(most * amount / whole)) if amount else 0


def _text(value: object) -> str:
    if value is None:
        return ""
    return visible(",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))


def printed(*renderables: RenderableType, width: int, colour: bool) -> bytes:
    """Render escaped texts for a terminal of this width; the terminal wraps `no_wrap` text."""
    from rich.console import Console

    out = StringIO()
    console = Console(
        file=out, width=width, force_terminal=True, no_color=not colour, markup=False, emoji=False,
        highlight=False, legacy_windows=False, _environ={"COLORTERM": "", "TERM": "xterm-256color"},
    )  # fmt: skip
    for renderable in renderables:
        console.print(renderable, soft_wrap=bool(getattr(renderable, "no_wrap", False)))
    return out.getvalue().encode("utf-8", "backslashreplace")
