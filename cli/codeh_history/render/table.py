"""Format tables and bar charts: tab-separated for a pipe, aligned for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from ..base.escape import visible

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
    widths = [
        len(name) if number >= cut else max(map(len, (name, *(row[number] for row in cells))))
        for number, name in enumerate(names)
    ]
    fixed = sum(widths) + GAP * (len(names) - 1)
    if fixed - widths[0] <= width < fixed:
        rest = [row[1:] for row in cells]
        more = {"colour": colour, "flexible": flexible, "right": right}
        lines = aligned(names[1:], rest, width=width - GAP, **more).decode().splitlines()  # type: ignore[arg-type]
        firsts = (names[0], *(row[0] for row in cells))
        return "".join(f"{first}\n  {line}\n" for first, line in zip(firsts, lines, strict=True)).encode()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, name in enumerate(names):
        numbers = name in right or (cells and all(row[number].isdecimal() for row in cells))
        # rich narrows columns that may wrap; cells are `no_wrap`, so that they end with an ellipsis instead
        table.add_column(name, no_wrap=number < cut, justify="right" if numbers else "left")
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
    from rich.bar import Bar
    from rich.table import Table
    from rich.text import Text

    shown: list[Table | Text] = []
    for group, amounts in groups.items():
        if not amounts:
            continue
        title = group if group in whole_of else f"by {group}"
        table = Table(box=None, pad_edge=False, show_header=False, title=title, title_justify="left")
        table.title_style = "bold"
        table.add_column(max_width=max(8, width // 2))
        table.add_column(justify="right", no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(max_width=LENGTH)
        whole = whole_of.get(group, sum(amounts.values()))
        for name, amount in amounts.items():
            cell = Text(visible(name), no_wrap=True, overflow="ellipsis")
            bar = Bar(whole, 0, amount, color="cyan") if amount else ""
            table.add_row(cell, f"{amount:,}", share(amount, whole), bar)
        shown += [Text(), table] if shown else [table]
    return printed(*shown, width=width, colour=colour)


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
