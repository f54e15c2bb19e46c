"""Show tokens used and their cost over all sessions, counting each response once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...base.env import Env
from ...base.errors import BadData
from ...base.input import needed, read_file
from ...base.options import JSON, Reading, argument, option
from ...base.read_json import demanded
from ...base.times import A_DAY, from_millis, moment
from ...base.words import did_you_mean
from ...render.messages import rich_wanted
from ...session.model import Json
from ...store.resolve import for_reading, ids
from ...tokens import prices
from ...tokens.prices import Table
from ...views.rows import Kind, noted, remembered
from . import responses, shown
from .totals import BY, Query, summed, with_owners

EXAMPLES = """\
  codeh-history usage                              # by model, all sessions, imported ones too
  codeh-history usage --by month
  codeh-history usage demo --by day
  codeh-history usage --since 7d --by dir --json | jq '.rows[] | [.dir, .cost]'
  codeh-history usage --prices own.json            # {"my-model": {"input": 0.5, "output": 2}}, a million
"""
USED = Kind("usage", version=3)
DATE = len("2026-01-31")


class Options(Reading, without=("argument",)):
    sessions: Sequence[str] | None = argument("[SESSION...]", "Only these sessions, including sub-agents.")
    by: str | None = option(
        "WHAT", "day, week, month, model (default), provider, program, session or dir.", choices=BY
    )
    since: str | None = option("D", "Only responses since: 30m, 2h, 7d, or a date.")
    until: str | None = option("D", "Only responses until then; a date includes that day.")
    json: bool = JSON
    prices: str | None = option("FILE", "JSON prices by model, in dollars per million tokens.")


def run(env: Env, options: Options) -> None:
    query = _query(env, options)
    table = prices.table()
    rows = _rows(env, [*(options.sessions or ()), *([options.session] if options.session else [])], table)
    if options.prices is not None:
        table = own_prices(options.prices, table)
        for row in rows:
            row["responses"] = [responses.repriced(response, table) for response in row["responses"]]
    shown.write(env, summed(rows, query), table, own=options.prices, json=options.json)
    if options.strict and any("problem" in row for row in rows):
        raise BadData("damaged sessions are named above (`codeh-history verify -s ID` says where)")


def _query(env: Env, options: Options) -> Query:
    since = until = None
    if options.since is not None:
        since = from_millis(moment(env.millis(), options.since))
    if options.until is not None:
        whole_day = len(options.until) == DATE and options.until.count("-") == 2
        until = from_millis(
            moment(env.millis(), options.until, "--until") + (A_DAY - 1 if whole_day else 0)
        )
    return Query(options.by or "model", since, until, local=not options.json and rich_wanted(env))


def _rows(env: Env, names: Sequence[str], table: Table) -> list[Json]:
    """The rows of the named sessions and their sub-agents; without names of all sessions."""
    kind = USED._replace(version={"version": USED.version, "prices": [table.source, table.date]})
    paths = [path for _, path in ids(env)]
    row_of = partial(responses.row_of, table=table)
    if not names:
        return with_owners(noted(env, remembered(env, paths, row_of, kind)))
    chosen = [for_reading(env, name).path for name in dict.fromkeys(names)]
    rows = [row_of(path, data=needed(env) if path == "-" else None) for path in chosen]
    own = {row["id"] for row in rows}
    if any(row["program"] for row in rows):  # only programs have sub-agents
        others = [row for row in remembered(env, paths, row_of, kind) if row["id"] not in own]
        rows = [row for row in with_owners(others + rows) if row["id"] in own or row["of"] in own]
    return with_owners(noted(env, rows))


def own_prices(path: str, table: Table) -> Table:
    """The table with the prices of `--prices FILE`; BadData for what is no price."""
    where = f"--prices {path}"
    models = demanded(read_file(path), where)
    if not isinstance(models, dict):
        raise BadData(f'{where}: {{"MODEL": {{"input": 0.5, "output": 2}}}} expected')
    for model, units in models.items():
        if not isinstance(units, dict) or not units:
            raise BadData(
                f'{where}: {model}: {{"input": 0.5, "output": 2}} expected, in dollars per million'
            )
        for unit, price in units.items():
            if unit not in prices.UNITS:
                near = did_you_mean(unit, prices.UNITS)
                raise BadData(f"{where}: {model}: {unit}: one of {', '.join(prices.UNITS)}{near}")
            if type(price) not in (int, float) or not 0 <= price < float("inf"):
                raise BadData(f"{where}: {model}: {unit}: a price in dollars expected")
    return table.and_own(models)
