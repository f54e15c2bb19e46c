"""Show tokens used and their cost over all sessions, counting each response once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from math import inf

from ...base.env import Env
from ...base.errors import BadData, HistoryError
from ...base.input import read_file, required_stdin
from ...base.options import JSON, Reading, argument, option
from ...base.read_json import parse_json
from ...base.times import A_DAY, from_millis, moment
from ...base.words import plural
from ...providers.parts import object_of
from ...providers.usage import COUNTS
from ...render import table as drawing
from ...render.messages import rich_wanted, width
from ...session.model import Json
from ...store.resolve import Target, existing, ids
from ...tokens import prices
from ...tokens.prices import Table
from ...views.rows import Kind, cached_rows, report_problems
from ...views.view import view_of
from .sums import BY, Sums, cost_of, row_of, summed, with_owners

EXAMPLES = """\
  codeh-history usage                              # by model, all sessions, imported ones too
  codeh-history usage --by month
  codeh-history usage --by tool                    # or agent, skill, mcp, branch
  codeh-history usage --window 5h                  # by quota windows; week
  codeh-history usage demo --by day
  codeh-history usage --since 7d --by dir --json | jq '.rows[] | [.dir, .cost]'
  codeh-history usage --prices own.json            # {"my-model": {"input": 0.5, "output": 2}}, per million
"""
WINDOWS = {"5h": 5, "week": 7 * 24}
USED = Kind("usage", version=8)
COLUMNS = ("responses", *COUNTS)
DISPENSABLE = ("reasoning", "cacheWrite", "cached", "responses", "share")  # on a narrow terminal
BAR = 12
DIGITS = 6  # decimals of a dollar, in JSON and in a pipe
Total = Counter[str]


class Options(Reading, without=("argument",)):
    sessions: Sequence[str] | None = argument("[SESSION...]", "Only these sessions, including sub-agents.")
    by: str | None = option("WHAT", f"{', '.join(BY)} (default: model).", choices=BY)
    window: str | None = option(
        "W", "By quota windows: 5h or week.", choices=tuple(WINDOWS), excludes=("by",)
    )
    since: str | None = option("D", "Only responses since: 30m, 2h, 7d, or a date.")
    until: str | None = option("D", "Only responses until then; a date includes that day.")
    json: bool = JSON
    prices: str | None = option("FILE", "JSON prices by model, in dollars per million tokens.")


def run(env: Env, options: Options) -> None:
    since, until = options.since, options.until
    if since is not None:
        since = from_millis(moment(env.millis(), since))
    if until is not None:
        end_of_day = A_DAY - 1 if re.fullmatch(r"\d{4}-\d\d-\d\d", until) else 0
        until = from_millis(moment(env.millis(), until, "--until") + end_of_day)
    table = prices.table()
    rows = rows_of(env, [*(options.sessions or ()), *filter(None, [options.session])], table)
    if options.prices is not None:
        table = own_prices(options.prices, table)
        for response in (response for row in rows for response in row["responses"]):
            response["cost"] = cost_of(response, table)
    by, hours = ("window", WINDOWS[options.window]) if options.window else (options.by or "model", 0)
    is_local = rich_wanted(env) and not options.json
    sums = summed(rows, by, since, until, is_local=is_local, hours=hours)
    if options.json:
        env.print_json(as_json(sums, table, options.prices))
    elif sums.groups:
        write(env, sums, f"prices: {table.source}, {'; '.join(filter(None, (table.date, options.prices)))}")
    else:
        env.note(f"no usage recorded{' in that time' if since or until else ''}")
    if options.strict and any("problem" in row for row in rows):
        raise BadData("damaged sessions are named above (`codeh-history verify -s ID` says where)")


def rows_of(env: Env, names: Sequence[str], table: Table) -> list[Json]:
    """Rows of the named sessions and their sub-agents, or of all sessions; note problems."""
    kind = USED._replace(version={"version": USED.version, "prices": [table.source, table.date]})
    own_row = partial(row_of, table=table)
    stored = [path for _, path in ids(env)]
    paths = [name if name == "-" else existing(env, name).path for name in dict.fromkeys(names)]
    rows = [own_row(path, data=required_stdin(env) if path == "-" else None) for path in paths]
    named = {row["id"] for row in rows}
    if not names or any(row["program"] for row in rows):  # only imported sessions have sub-agents
        rows += [row for row in cached_rows(env, stored, own_row, kind) if row["id"] not in named]
    known = {row["id"] for row in rows}
    for path in {*paths} - {*stored, "-"}:
        from ...views.agents import Agents

        with suppress(HistoryError):  # its row has the problem
            for agent in Agents(env, known).of(view_of(env, Target(path, ""), lost={})):
                rows.append(own_row(path, data=b"\n".join(line.raw for line in agent.log.records)))
    return report_problems(env, with_owners(rows, named if names else None))


def own_prices(path: str, table: Table) -> Table:
    """The price table with `--prices FILE` added; raise BadData for an invalid price."""
    models = object_of(parse_json(read_file(path), f"--prices {path}"))
    for model, units in models.items() or [("MODEL", None)]:
        numbers = object_of(units)
        valid = all(type(price) in (int, float) and 0 <= price < inf for price in numbers.values())
        if not (numbers and valid and {*numbers} <= {*prices.UNITS}):
            raise BadData(
                f'--prices {path}: expected {{"{model}": {{"input": 0.5, "output": 2}}}}, in dollars '
                f"per million; units: {', '.join(prices.UNITS)}"
            )
    return table.with_own_prices(models)


# -- output ------------------------------------------------------------------------------------------------


def as_json(sums: Sums, table: Table, file: str | None) -> Json:
    """The sums as `{by, rows, total, unpriced, prices}`; an unknown cost is null."""

    def fields(total: Total) -> Json:
        known = None if shown_cost(total, "") == "?" else round(float(total["cost"]), DIGITS)
        counts = {name: total[name] for name in COLUMNS}
        return {**counts, "cost": known, "unpriced": total["unpriced"]}

    return {
        "by": sums.by,
        "rows": [{sums.by: name, **fields(total)} for name, total in sums.groups.items()],
        "total": fields(sums.total),
        "unpriced": dict(sums.unpriced.most_common()),
        "prices": {"source": table.source, "date": table.date, **({"own": file} if file else {})},
    }


def shown_cost(total: Total, priced: str) -> str:
    """The cost as text, with `+?` if some prices are unknown; `?` if all are."""
    if not total["unpriced"]:
        return priced
    return "?" if total["unpriced"] == total["responses"] else f"{priced}+?"


def write(env: Env, sums: Sums, source: str) -> None:
    """Print the totals, the source of the prices, and the models without a price."""
    totals = {**sums.groups, "total": sums.total}
    if rich_wanted(env):
        env.draw(drawn(env, sums.by, totals))
        env.print("", source)
    else:
        for name, total in totals.items():
            dollars = shown_cost(total, f"{total['cost']:.{DIGITS}f}")
            env.write(drawing.separated([[name, *(total[count] for count in COLUMNS), dollars]]))
        env.note(source)
    if sums.unpriced:
        models = ", ".join(f"{model} ({number:,})" for model, number in sums.unpriced.most_common())
        env.note(f"no price for {plural(sums.unpriced.total(), 'response')}: {models} (--prices FILE)")


def drawn(env: Env, by: str, totals: dict[str, Total]) -> bytes:
    """A table with a row per group; the bar is its share of the cost, or of tokens if no price is known."""
    whole = totals["total"]
    amounts = ("cost",) if whole["cost"] else ("input", "output")
    rows: list[tuple[str, ...]] = [(by, "cost", "share", *COLUMNS)]
    for name, total in totals.items():
        part, of = (sum(each[amount] for amount in amounts) for each in (total, whole))
        bar = "█" * drawing.length(part, of, BAR) if total is not whole else ""
        dollars = f"${total['cost']:,.{2 if total['cost'] >= 1 or not total['cost'] else 4}f}"
        rows.append((name, shown_cost(total, dollars), bar, *(_short(total[count]) for count in COLUMNS)))
    columns = {column[0]: column for column in zip(*rows, strict=True)}
    for name in DISPENSABLE:
        if sum(drawing.GAP + max(map(len, column)) for column in columns.values()) > width() + drawing.GAP:
            del columns[name]
    headings, *shown = zip(*columns.values(), strict=True)
    return drawing.aligned(headings, shown, width=width(), colour=env.colour, right=("cost", *COLUMNS))


def _short(number: float) -> str:
    """Format a number with three digits from ten thousand on, such as 12.3k."""
    if number < 10_000:
        return str(number)
    power = next((power for power in (1, 2, 3) if number < 999.5 * 1000**power), 4)
    return f"{number / 1000**power:.3g}{' kMGT'[power]}"
