"""A table: tab-separated columns for a pipe, aligned ones for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..base.escape import visible

GAP = 2  # between columns
LEAST = 10  # characters of a column that is cut; twice as many where another one is cut beside it


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

    The last `flexible` columns are cut where the line is too long, and left out where no room is left; that
    the first of them stays, the first column has a line of its own where it must.
    """
    from rich.table import Table
    from rich.text import Text

    from .terminal import printed

    kept = [[_text(value) for value in row] for row in rows]
    needed = [max(map(len, column)) for column in zip(names, *kept, strict=True)]
    widths = _fitted(needed, width, flexible)
    needs_room = len(needed) - flexible + 1
    if len(widths) < needs_room <= len(_fitted(needed[1:], width - GAP, flexible)) + 1:
        rest = [row[1:] for row in kept]
        lines = aligned(names[1:], rest, width=width - GAP, colour=colour, flexible=flexible, right=right)
        first = [printed(Text(names[0], "bold"), width=width, colour=colour).decode()]
        return _stacked([*first, *(f"{row[0]}\n" for row in kept)], lines.decode())
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, fitted in enumerate(widths):
        cells = [row[number] for row in kept]
        table.add_column(
            names[number], no_wrap=True, overflow="ellipsis", width=fitted,
            justify="right" if names[number] in right or _are_numbers(cells) else "left",
        )  # fmt: skip
    for row in kept:
        table.add_row(*map(Text, row[: len(widths)]))
    total = sum(widths) + GAP * (len(widths) - 1)  # a terminal that is too narrow wraps: nothing goes
    return printed(table, width=max(width, total), colour=colour)


def _stacked(first: Sequence[str], rest: str) -> bytes:
    """Each line of `rest` below the one that it belongs to."""
    lines = rest.splitlines(keepends=True)
    return "".join(f"{one}{' ' * GAP}{line}" for one, line in zip(first, lines, strict=True)).encode()


def _are_numbers(cells: Sequence[str]) -> bool:
    return bool(cells) and all(map(str.isdecimal, cells))


def _fitted(needed: Sequence[int], width: int, flexible: int) -> list[int]:
    """How wide each column is: the flexible ones share what the others leave, those without room go."""
    fixed, last = list(needed[: len(needed) - flexible]), list(needed[len(needed) - flexible :])
    room = width - sum(fixed) - GAP * (len(needed) - 1)
    while last and sum(last) > room and room < LEAST * len(last) ** 2:
        last.pop()
        room += GAP
    order = sorted(range(len(last)), key=last.__getitem__)
    for left, place in zip(
        range(len(last), 0, -1), order, strict=True
    ):  # what a short one leaves others have
        last[place] = min(last[place], room // left)
        room -= last[place]
    return fixed + last


def _text(value: object) -> str:
    if value is None:
        return ""
    return visible(",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
