"""Show tokens used and their cost over all sessions, counting each response once."""

from __future__ import annotations

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
from ...providers.usage import COUNTS
from ...render import table as drawing
from ...render.messages import rich_wanted, width
from ...session.model import Json
from ...store.resolve import Target, existing, ids
from ...tokens import prices
from ...tokens.prices import Table
from ...views.rows import Kind, cached_rows, report_problems
from ...views.view import view_of
from .sums import BY, Response, Sums, priced, row_of, summed, with_owners

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
USED = Kind("usage", version=7)
DATE = len("2026-01-31")
# columns on a terminal, the last five in the order of COUNTS; a narrow one omits DISPENSABLE
NUMBERS = ("cost", "responses", "input", "cached", "written", "output", "reasoning")
HEADINGS = ("cost", "share", *NUMBERS[1:])
DISPENSABLE = ("reasoning", "written", "cached", "responses", "share")
BAR = 12
DIGITS = 6  # decimals of a dollar, in JSON and in a pipe
NAMED = 5  # models without a price that are named
Total = Counter[str]
COLUMNS = ("responses", *COUNTS)


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
    since = until = None
    if options.since is not None:
        since = from_millis(moment(env.millis(), options.since))
    if options.until is not None:
        whole_day = len(options.until) == DATE and options.until.count("-") == 2
        millis = moment(env.millis(), options.until, "--until")
        until = from_millis(millis + (A_DAY - 1 if whole_day else 0))
    table = prices.table()
    rows = rows_of(env, [*(options.sessions or ()), *filter(None, [options.session])], table)
    if options.prices is not None:
        table = own_prices(options.prices, table)
        for row in rows:
            row["responses"] = [[*priced(Response(*each), table)] for each in row["responses"]]
    by, hours = ("window", WINDOWS[options.window]) if options.window else (options.by or "model", 0)
    rich = rich_wanted(env)
    sums = summed(rows, by, since, until, is_local=rich and not options.json, hours=hours)
    if options.json:
        env.print_json(as_json(sums, table, options.prices))
    elif not sums.total:
        env.note(f"no usage recorded{' in that time' if options.since or options.until else ''}")
    else:
        source = f"prices: {table.source}, {table.date}{f'; {options.prices}' if options.prices else ''}"
        totals = {**sums.groups, "total": sums.total}
        if rich:
            env.draw(drawn(env, sums.by, totals))
            env.print("", source)
        else:
            for name, total in totals.items():
                cost = cost_of(total, f"{total['cost']:.{DIGITS}f}")
                env.write(drawing.separated([[name, *(total[count] for count in COLUMNS), cost]]))
            env.note(source)
        if sums.unpriced:
            names = [f"{model} ({number:,})" for model, number in sums.unpriced.most_common(NAMED)]
            more = len(sums.unpriced) - len(names)
            rest = f" and {more} more models" if more else ""
            unknown = plural(sums.total["unpriced"], "response")
            env.note(f"no price for {unknown}: {', '.join(names)}{rest} (--prices FILE)")
    if options.strict and any("problem" in row for row in rows):
        raise BadData("damaged sessions are named above (`codeh-history verify -s ID` says where)")


def rows_of(env: Env, names: Sequence[str], table: Table) -> list[Json]:
    """Rows of the named sessions and their sub-agents, or of all sessions; note problems."""
    kind = USED._replace(version={"version": USED.version, "prices": [table.source, table.date]})
    paths = [path for _, path in ids(env)]
    own_row = partial(row_of, table=table)
    if not names:
        return with_owners(report_problems(env, cached_rows(env, paths, own_row, kind)))
    chosen = [name if name == "-" else existing(env, name).path for name in dict.fromkeys(names)]
    rows = [own_row(path, data=required_stdin(env) if path == "-" else None) for path in chosen]
    named = {row["id"] for row in rows}
    others: list[Json] = []
    if any(row["program"] for row in rows):  # only imported sessions have sub-agents
        others = [row for row in cached_rows(env, paths, own_row, kind) if row["id"] not in named]
        from ...views.agents import Agents

        agents = Agents(env, named | {row["id"] for row in others})
        for path in chosen:
            if path != "-" and path not in paths:
                with suppress(HistoryError):  # its row has the problem
                    for agent in agents.of(view_of(env, Target(path, ""), lost={})):
                        log = b"\n".join(line.raw for line in agent.log.records)
                        others.append(own_row(path, data=log))
    return report_problems(env, with_owners(others + rows, named))


def own_prices(path: str, table: Table) -> Table:
    """The price table with `--prices FILE` added; raise BadData for an invalid price."""
    where = f"--prices {path}"
    models = parse_json(read_file(path), where)
    if not isinstance(models, dict):
        raise BadData(f'{where}: expected {{"MODEL": {{"input": 0.5, "output": 2}}}}')
    for model, units in models.items():
        numbers = [*units.values()] if isinstance(units, dict) and {*units} <= {*prices.UNITS} else []
        if not numbers or not all(type(price) in (int, float) and 0 <= price < inf for price in numbers):
            raise BadData(
                f'{where}: {model}: expected {{"input": 0.5, "output": 2}}, in dollars per million; '
                f"units: {', '.join(prices.UNITS)}"
            )
    return table.with_own_prices(models)


# -- output ------------------------------------------------------------------------------------------------


def as_json(sums: Sums, table: Table, file: str | None) -> Json:
    """The sums as `{by, rows, total, unpriced, prices}`; an unknown cost is null."""

    def fields(total: Total) -> Json:
        known = None if cost_of(total, "") == "?" else round(float(total["cost"]), DIGITS)
        counts = {name: total[name] for name in COLUMNS}
        return {**counts, "cost": known, "unpriced": total["unpriced"]}

    return {
        "by": sums.by,
        "rows": [{sums.by: name, **fields(total)} for name, total in sums.groups.items()],
        "total": fields(sums.total),
        "unpriced": dict(sums.unpriced.most_common()),
        "prices": {"source": table.source, "date": table.date, **({"own": file} if file else {})},
    }


def cost_of(total: Total, priced: str) -> str:
    """The cost as text, with `+?` if some prices are unknown; `?` if all are."""
    if not total["unpriced"]:
        return priced
    return "?" if total["unpriced"] == total["responses"] else f"{priced}+?"


def drawn(env: Env, by: str, totals: dict[str, Total]) -> bytes:
    """A table with a row per group; the bar is its share of the cost, or of tokens if no price is known."""
    whole = totals["total"]
    amounts = ("cost",) if whole["cost"] else ("input", "output")
    rows = []
    for name, total in totals.items():
        part, of = (sum(each[amount] for amount in amounts) for each in (total, whole))
        bar = "█" * drawing.length(part, of, BAR) if total is not whole else ""
        cost = total["cost"]
        dollars = f"${cost:,.2f}" if cost >= 1 or not cost else f"${cost:.4f}"
        rows.append([name, cost_of(total, dollars), bar, *(_short(total[count]) for count in COLUMNS)])
    columns = {heading: [row[n] for row in rows] for n, heading in enumerate((by, *HEADINGS))}
    for name in DISPENSABLE:
        if sum(2 + max(map(len, (heading, *cells))) for heading, cells in columns.items()) > width() + 2:
            del columns[name]
    shown = zip(*columns.values(), strict=True)
    return drawing.aligned(tuple(columns), shown, width=width(), colour=env.colour, right=NUMBERS)


def _short(number: float) -> str:
    """Format a number in at most five characters."""
    if number < 10_000:
        return str(number)
    for unit in "kMGT":
        number /= 1000
        if number < 999.5 or unit == "T":
            break
    return f"{number:.{0 if 99.95 <= number < 999.5 else 1}f}{unit}"
