"""Bars: how an amount is shared, in text for a pipe and in colour for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from ..base.escape import visible

LENGTH = 40
SHORTEST = 8  # a bar, or a name beside it, on a narrow terminal
SHARE = 10  # what a share takes, and the gaps between columns

Groups = Mapping[str, Mapping[str, int]]
NONE: Mapping[str, int] = {}


def plain(groups: Groups, whole_of: Mapping[str, int] = NONE) -> str:
    """A line for each amount: `GROUP NAME AMOUNT SHARE BAR`, separated by tabs.

    `whole_of` says what a group's amounts are shares of, where that is more than their sum.
    """
    lines = []
    for group, amounts in groups.items():
        whole = whole_of.get(group, sum(amounts.values()))
        for name, amount in amounts.items():
            bar = "#" * length(amount, whole)
            lines.append(f"{group}\t{visible(name)}\t{amount}\t{share(amount, whole)}\t{bar}\n")
    return "".join(lines)


def rich(groups: Groups, whole_of: Mapping[str, int] = NONE, *, width: int, colour: bool) -> bytes:
    """A small table for each group, its bars as wide as the terminal allows."""
    from rich.table import Table
    from rich.text import Text

    from .terminal import printed

    tables: list[Table | Text] = []
    for group, amounts in groups.items():
        if not amounts:
            continue
        table = Table(
            box=None,
            pad_edge=False,
            show_header=False,
            title=group if group in whole_of else f"by {group}",
            title_justify="left",
            title_style="bold",
        )
        for justify in ("left", "right", "right", "left"):
            table.add_column(justify=justify, no_wrap=True)
        room = width - max(len(f"{amount:,}") for amount in amounts.values()) - SHARE
        names = [Text(visible(name)) for name in amounts]
        for text in names:
            text.truncate(max(SHORTEST, room - SHORTEST), overflow="ellipsis")
        most = max(SHORTEST, min(LENGTH, width - 40, room - max(text.cell_len for text in names)))
        whole = whole_of.get(group, sum(amounts.values()))
        for name, amount in zip(names, amounts.values(), strict=True):
            bar = Text("█" * length(amount, whole, most), style="cyan")
            table.add_row(name, f"{amount:,}", share(amount, whole), bar)
        tables += [Text(), table] if tables else [table]
    return printed(*tables, width=width, colour=colour)


def share(amount: int, whole: int) -> str:
    return f"{round(100 * amount / whole) if whole else 0}%"


def length(amount: float, whole: float, most: int = LENGTH) -> int:
    """How long the bar of an amount is; one that is not nothing has at least one mark."""
    return max(1, round(most * amount / whole)) if amount else 0
