"""The changes a filter would make, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.env import Env
from ..session.ops import Op
from ..session.rules import NAME_OF_KIND
from ..session.view import View
from . import table
from .messages import rich_wanted, width
from .parts import first_words

COLUMNS = ("change", "messages", "why", "first")
MOST = 20  # rows
VERBS = {"drop": "drop", "replace": "edit", "insert": "add", "summarize": "summarise"}

Row = tuple[str, int, str, str]


def rows(view: View, ops: Sequence[Op]) -> list[Row]:
    """Return a row for each kind of change and reason: the number of messages, and the first."""
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for op in ops:
        fields: Mapping[str, Any] = op
        ids = fields["ids"] if "ids" in fields else [fields["after" if fields["op"] == "insert" else "id"]]
        key = VERBS[fields["op"]], fields.get("why") or ""
        groups.setdefault(key, {}).update(dict.fromkeys(ids))
    messages = {message.id: (number, message) for number, message in enumerate(view.messages, 1)}
    table: list[Row] = []
    for (verb, why), ids in groups.items():
        live = [messages[id] for id in ids if id in messages]
        first = "summary"
        if live:
            number, message = min(live, key=lambda each: each[0])
            first = f":{number} {NAME_OF_KIND[message.kind]} {first_words(message.parts)}".rstrip()
        table.append((verb, len(ids), why, first))
    return table


def draw(env: Env, columns: Sequence[str], rows: Sequence[Sequence[object]], flexible: int = 0) -> None:
    """Print a table of at most `MOST` rows."""
    shown = rows[:MOST]
    if len(rows) > MOST:
        shown = [*shown, (f"and {len(rows) - MOST} more", *[None] * (len(columns) - 1))]
    if rich_wanted(env):
        env.draw(table.aligned(columns, shown, width=width(), colour=env.colour, flexible=flexible))
    else:
        env.write(table.separated(shown))
