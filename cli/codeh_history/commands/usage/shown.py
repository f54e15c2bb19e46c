"""What `usage` prints: a table with bars on a terminal, columns in a pipe, JSON."""

from __future__ import annotations

from ...base.env import Env
from ...base.words import some
from ...providers.usage import COUNTS
from ...render import table, values
from ...render.messages import rich_wanted, width
from ...session.model import Json
from ...tokens.prices import Table
from .totals import Sums, Total

NUMBERS = ("cost", "responses", "input", "cached", "written", "output", "reasoning")  # COUNTS, shorter
HEADINGS = ("cost", "share", *NUMBERS[1:])
DISPENSABLE = ("reasoning", "written", "cached", "responses", "share")  # on a narrow terminal
BAR = 12
DIGITS = 6  # of a dollar in JSON and in a pipe
NAMED = 5  # models without a price


def write(env: Env, sums: Sums, prices: Table, *, own: str | None, json: bool) -> None:
    source = f"{prices.source}, {prices.date}" + (f"; {own}" if own else "")
    if json:
        env.write(values.line(_json(sums, prices, own)))
        return
    if not sums.total.responses:
        env.note("no usage recorded")
        return
    groups = {**sums.groups, "total": sums.total}
    if rich_wanted(env):
        env.draw(_table(env, sums, groups))
        env.write(f"\nprices: {source}\n".encode())
    else:
        env.write(table.separated([name, *_plain(total)] for name, total in groups.items()))
        env.note(f"prices: {source}")
    if sums.unpriced:
        env.note(_unpriced(sums))


def _json(sums: Sums, prices: Table, own: str | None) -> Json:
    return {
        "by": sums.by,
        "rows": [{sums.by: name, **_object(total)} for name, total in sums.groups.items()],
        "total": _object(sums.total),
        "unpriced": dict(sums.unpriced.most_common()),
        "prices": {"source": prices.source, "date": prices.date, **({"own": own} if own else {})},
    }


def _object(total: Total) -> Json:
    counts = dict(zip(COUNTS, total.counts, strict=True))
    unknown = total.unpriced and total.unpriced == total.responses
    cost = None if unknown else round(total.cost, DIGITS)
    return {"responses": total.responses, **counts, "cost": cost, "unpriced": total.unpriced}


def _plain(total: Total) -> list[object]:
    return [total.responses, *total.counts, _cost(total, f"{total.cost:.{DIGITS}f}")]


def _cost(total: Total, priced: str) -> str:
    """A price; `?` where none is known of a response."""
    if not total.unpriced:
        return priced
    return "?" if total.unpriced == total.responses else f"{priced}+?"


def _table(env: Env, sums: Sums, groups: dict[str, Total]) -> bytes:
    """A row a group, its share of the money (of the tokens where nothing has a price) as a bar."""
    priced = sums.total.cost > 0
    whole = sums.total.cost if priced else sums.total.tokens
    rows = []
    for name, total in groups.items():
        amount = total.cost if priced else total.tokens
        bar = "█" * table.length(amount, whole, BAR) if total is not sums.total else ""
        dollars = f"${total.cost:,.2f}" if total.cost >= 1 or not total.cost else f"${total.cost:.4f}"
        rows.append([name, _cost(total, dollars), bar, *map(_short, (total.responses, *total.counts))])
    columns = {heading: [row[n] for row in rows] for n, heading in enumerate((sums.by, *HEADINGS))}
    for name in DISPENSABLE:
        if sum(2 + max(map(len, (heading, *cells))) for heading, cells in columns.items()) > width() + 2:
            del columns[name]
    shown = zip(*columns.values(), strict=True)
    return table.aligned(tuple(columns), shown, width=width(), colour=env.colour, right=NUMBERS)


def _short(number: float) -> str:
    """A number in at most five characters."""
    if number < 10_000:
        return str(number)
    for unit in "kMGT":
        number /= 1000
        if number < 999.5 or unit == "T":
            break
    return f"{number:.{0 if 99.95 <= number < 999.5 else 1}f}{unit}"


def _unpriced(sums: Sums) -> str:
    """The models that have no price, those with most responses first."""
    names = [f"{model} ({number:,})" for model, number in sums.unpriced.most_common(NAMED)]
    more = len(sums.unpriced) - len(names)
    rest = f" and {more} more models" if more else ""
    return f"no price for {some(sums.total.unpriced, 'response')}: {', '.join(names)}{rest} (--prices FILE)"
