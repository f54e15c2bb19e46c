"""Format the changes of a filter, and the use of a budget, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from ..base.env import Env
from ..session.model import NAME_OF_KIND, Json
from ..session.ops import Op
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
    if rows and rich_wanted(env):
        env.draw(table.aligned(columns, shown, width=width(), colour=env.colour, flexible=flexible))
    else:
        env.write(table.separated(shown))


# -- the use of a budget ---------------------------------------------------------------------------------

SINGLE = ("counter", "budget", "before", "after")
FREE = "free"


def explain(env: Env, explained: Json, *, json: bool) -> None:
    """Print `{session, counter, budget, before, after, spent, let_go, largest}` as a table or as JSON.

    It goes to stderr even with `-q`, because the user requested it.
    """
    if json:
        env.report(orjson.dumps(explained))
        return
    single = "".join(f"{name}\t{explained[name]}\n" for name in SINGLE if explained[name] is not None)
    groups, wholes = tables(explained)
    if rich_wanted(env, env.stderr):
        bars = table.drawn_bars(groups, wholes, width=width(), colour=env.coloured(env.stderr))
        env.report(single.encode() + b"\n" + bars.removesuffix(b"\n"), drawn=True)
    else:
        env.report((single.encode() + table.bars(groups, wholes)).removesuffix(b"\n"))


def tables(explained: Json) -> tuple[table.Groups, dict[str, int]]:
    """Return the amounts by group, and each group's total; the unused budget is an amount of `spent`."""
    budget = explained["budget"] or explained["after"]
    spent = {**explained["spent"], FREE: max(0, budget - explained["after"])}
    removed = {f"{kind} ({sums['parts']:,})": sums["tokens"] for kind, sums in explained["let_go"].items()}
    groups = {
        "spent": {name: tokens for name, tokens in spent.items() if tokens},
        "let go": removed,
        "largest": {labelled(part): part["tokens"] for part in explained["largest"]},
    }
    return groups, {"spent": budget, "let go": sum(removed.values()), "largest": explained["after"]}


def labelled(part: Json) -> str:
    """Return `:12.0 result read_file: TEXT`, or the name of content that is in no message."""
    where = f":{part['n']}.{part['part']} " if "n" in part else ""
    words = [part["what"], part.get("name") or ("" if "n" in part else part.get("id", ""))]
    return where + " ".join(filter(None, words)) + (f": {part['text']}" if part.get("text") else "")
