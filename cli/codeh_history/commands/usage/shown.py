"""What `usage` prints: a table with bars on a terminal, columns in a pipe, JSON."""

from __future__ import annotations

from ...base.env import Env
from ...base.words import some
from ...providers.usage import COUNTS
from ...render import bars, table, values
from ...render.messages import rich_wanted, width
from ...session.model import Json
from ...tokens.prices import Table
from .totals import Found, Total

NUMBERS = ("cost", "responses", "input", "cached", "written", "output", "reasoning")  # COUNTS, shorter
HEADINGS = ("cost", "share", *NUMBERS[1:])
DISPENSABLE = ("reasoning", "written", "cached", "responses", "share")
GAP = 2  # between columns
BAR = 12
DIGITS = 6  # of a dollar in JSON and in a pipe
NAMED = 5  # models without a price


def write(env: Env, found: Found, prices: Table, *, own: str | None, json: bool) -> None:
    source = f"{prices.source}, {prices.date}" + (f"; {own}" if own else "")
    if json:
        env.write(values.line(_json(found, prices, own)))
        return
    if not found.total.responses:
        env.note("no usage recorded")
        return
    if rich_wanted(env):
        env.draw(_table(env, found))
        env.write(f"\nprices: {source}\n".encode())
    else:
        rows = {**found.groups, "total": found.total}
        env.write(table.separated([name, *_plain(total)] for name, total in rows.items()))
        env.note(f"prices: {source}")
    if found.unpriced:
        env.note(_unpriced(found))


def _json(found: Found, prices: Table, own: str | None) -> Json:
    return {
        "by": found.by,
        "rows": [{found.by: name, **_object(total)} for name, total in found.groups.items()],
        "total": _object(found.total),
        "unpriced": dict(found.unpriced.most_common()),
        "prices": {"source": prices.source, "date": prices.date, **({"own": own} if own else {})},
    }


def _object(total: Total) -> Json:
    counts = dict(zip(COUNTS, total.counts, strict=True))
    nothing = total.unpriced and total.unpriced == total.responses
    cost = None if nothing else round(total.cost, DIGITS)
    return {"responses": total.responses, **counts, "cost": cost, "unpriced": total.unpriced}


def _plain(total: Total) -> list[object]:
    return [total.responses, *total.counts, _cost(total, f"{total.cost:.{DIGITS}f}")]


def _cost(total: Total, priced: str) -> str:
    """A price; `?` for what has none, which may be a part of it."""
    if not total.unpriced:
        return priced
    return "?" if total.unpriced == total.responses else f"{priced}+?"


def _dollars(cost: float) -> str:
    return f"${cost:,.2f}" if cost >= 1 or not cost else f"${cost:.4f}"


def _table(env: Env, found: Found) -> bytes:
    """A row a group, its share of the money (of the tokens where nothing has a price) as a bar.

    On a narrow terminal the columns that can best be done without are left out.
    """
    priced = found.total.cost > 0
    whole = found.total.cost if priced else found.total.tokens
    columns: dict[str, list[str]] = {name: [] for name in (found.by, *HEADINGS)}
    for name, total in {**found.groups, "total": found.total}.items():
        amount = total.cost if priced else total.tokens
        bar = "█" * bars.length(amount, whole, BAR) if total is not found.total else ""
        numbers = map(_short, (total.responses, *total.counts))
        cells = (name, _cost(total, _dollars(total.cost)), bar, *numbers)
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)
    for name in DISPENSABLE:
        if sum(max(map(len, (name, *cells))) + GAP for name, cells in columns.items()) > width() + GAP:
            del columns[name]
    rows = list(zip(*columns.values(), strict=True))
    return table.aligned(tuple(columns), rows, width=width(), colour=env.colour, right=NUMBERS)


def _short(number: int) -> str:
    """A number in at most five signs, so that a line is not too long."""
    if number < 10_000:
        return str(number)
    for unit, size in (("k", 10**3), ("M", 10**6), ("G", 10**9)):
        if number < size * 999.5:
            return f"{number / size:.{0 if number >= size * 99.95 else 1}f}{unit}"
    return f"{number / 10**12:.1f}T"


def _unpriced(found: Found) -> str:
    """The models that have no price, those with most responses first."""
    named = [f"{model} ({number:,})" for model, number in found.unpriced.most_common(NAMED)]
    more = len(found.unpriced) - len(named)
    return (
        f"no price for {some(found.total.unpriced, 'response')}: {', '.join(named)}"
        + (f" and {more} more models" if more else "")
        + " (--prices FILE)"
    )
