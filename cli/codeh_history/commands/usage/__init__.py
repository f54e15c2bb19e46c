"""Show tokens used and their cost over all sessions, counting each response once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...base.env import Env
from ...base.errors import BadData
from ...base.input import needed
from ...base.options import JSON, Reading, argument, option
from ...base.times import from_millis, moment
from ...render.messages import rich_wanted
from ...session.model import Json
from ...store.resolve import for_reading, ids
from ...tokens import prices
from ...tokens.prices import Table
from ...views import responses
from ...views.rows import Kind, noted, remembered
from . import own, shown
from .totals import BY, Asked, summed, with_owners

EXAMPLES = """\
  codeh-history usage                              # by model, all sessions, imported ones too
  codeh-history usage --by month
  codeh-history usage demo --by day
  codeh-history usage --since 7d --by dir --json | jq '.rows[] | [.dir, .cost]'
  codeh-history usage --prices own.json            # {"my-model": {"input": 0.5, "output": 2}}, a million
"""
USED = Kind("usage", version=3)
A_DAY = 24 * 60 * 60 * 1000
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


def run(env: Env, given: Options) -> None:
    asked = _asked(env, given)
    table = prices.table()
    rows = _rows(
        env, [*(given.sessions or ()), *([given.session] if given.session is not None else [])], table
    )
    if given.prices is not None:
        table = own.prices(given.prices, table)
        for row in rows:
            row["responses"] = [responses.repriced(one, table) for one in row["responses"]]
    shown.write(env, summed(rows, asked), table, own=given.prices, json=given.json)
    if given.strict and any("problem" in row for row in rows):
        raise BadData("damaged sessions are named above (`codeh-history verify -s ID` says where)")


def _asked(env: Env, given: Options) -> Asked:
    by = given.by or "model"
    since = from_millis(moment(env.millis(), given.since)) if given.since is not None else None
    until = None
    if given.until is not None:
        whole_day = len(given.until) == DATE and given.until.count("-") == 2
        until = from_millis(moment(env.millis(), given.until, "--until") + (A_DAY - 1 if whole_day else 0))
    return Asked(by, since, until, local=not given.json and rich_wanted(env))


def _rows(env: Env, named: Sequence[str], table: Table) -> list[Json]:
    """The rows of the sessions that are named, and of those that worked for them; else of all."""
    paths = [path for _, path in ids(env)]
    if not named:
        return with_owners(noted(env, _remembered(env, paths, table)))
    chosen = [for_reading(env, name).path for name in dict.fromkeys(named)]
    rows = [responses.row_of(path, table, needed(env) if path == "-" else None) for path in chosen]
    of = {row["id"] for row in rows}
    if any(row["program"] for row in rows):  # only programs have sub-agents
        others = with_owners([row for row in _remembered(env, paths, table) if row["id"] not in of] + rows)
        rows = [row for row in others if row["id"] in of or row["of"] in of]
    return with_owners(noted(env, rows))


def _remembered(env: Env, paths: list[str], table: Table, kind: Kind = USED) -> list[Json]:
    """The rows of sessions of the home; where these are large, read where their files have changed."""
    kind = kind._replace(version={"version": kind.version, "prices": [table.source, table.date]})
    return remembered(env, paths, partial(responses.row_of, table=table), kind)
