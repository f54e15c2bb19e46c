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
    numbers = {message.id: number for number, message in enumerate(view.messages, 1)}
    return [(verb, len(ids), why, _first(view, numbers, ids)) for (verb, why), ids in groups.items()]


def _first(view: View, numbers: Mapping[str, int], ids: Mapping[str, None]) -> str:
    id = min(ids, key=lambda id: numbers.get(id, len(numbers) + 1))
    if id not in numbers:
        return "summary"
    message = view.messages[numbers[id] - 1]
    return f":{numbers[id]} {NAME_OF_KIND[message.kind]} {first_words(message.parts)}".rstrip()


def draw(env: Env, columns: Sequence[str], rows: Sequence[Sequence[object]], flexible: int = 0) -> None:
    """Print a table of at most `MOST` rows."""
    shown = rows[:MOST]
    if len(rows) > MOST:
        shown = [*shown, (f"and {len(rows) - MOST} more", *[None] * (len(columns) - 1))]
    if rich_wanted(env):
        env.draw(table.aligned(columns, shown, width=width(), colour=env.colour, flexible=flexible))
    else:
        env.write(table.separated(shown))
