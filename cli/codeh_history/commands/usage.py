"""Show tokens used and their cost over all sessions, counting each response once."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cache, partial
from math import inf
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import BadData, HistoryError, reason
from ..base.input import read_file, required_stdin
from ..base.options import JSON, Reading, argument, option
from ..base.read_json import parse_json
from ..base.times import A_DAY, from_millis, local, moment, to_millis
from ..base.words import plural
from ..providers.parts import object_of
from ..providers.usage import COUNTS, billed
from ..render import table as drawing
from ..render.messages import rich_wanted, width
from ..session.model import PLACING, Json, origin
from ..session.records import TORN
from ..session.view import timestamp
from ..store import read
from ..store.resolve import Target, existing, ids
from ..tokens import prices
from ..tokens.prices import Table
from ..views import skim
from ..views.rows import Kind, cached_rows, report_problems, text_of
from ..views.view import damage_summary

EXAMPLES = """\
  codeh-history usage                              # by model, all sessions, imported ones too
  codeh-history usage --by month
  codeh-history usage demo --by day
  codeh-history usage --since 7d --by dir --json | jq '.rows[] | [.dir, .cost]'
  codeh-history usage --prices own.json            # {"my-model": {"input": 0.5, "output": 2}}, per million
"""
USED = Kind("usage", version=9)
COLUMNS = ("responses", *COUNTS)
DISPENSABLE = ("reasoning", "cacheWrite", "cached", "responses", "share")  # on a narrow terminal
BAR = 12
DIGITS = 6  # decimals of a dollar, in JSON and in a pipe
Total = Counter[str]
OURS = "codeh-history"  # program of sessions that were not imported
UNKNOWN = "?"
BY_TIME = ("day", "week", "month")
FIELDS = {  # group → the field of a response or its session, and the name without one
    "model": ("model", UNKNOWN),
    "provider": ("provider", UNKNOWN),
    "program": ("program", OURS),
    "session": ("of", UNKNOWN),
    "dir": ("cwd", UNKNOWN),
    "agent": ("agent", "main"),
}
BY = (*BY_TIME, *FIELDS)
KEPT = ("provider", "model", "responseId", "response", "agent")  # fields of a record


class Options(Reading, without=("argument",)):
    sessions: Sequence[str] | None = argument("[SESSION...]", "Only these sessions, including sub-agents.")
    by: str | None = option("WHAT", f"{', '.join(BY)} (default: model).", choices=BY)
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
    is_local = rich_wanted(env) and not options.json
    sums = summed(rows, options.by or "model", since, until, is_local=is_local)
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


# -- responses -------------------------------------------------------------------------------------------


def row_of(path: str, table: Table, data: bytes | None = None) -> Json:
    """The responses in a session file, or in these bytes; `problem` describes damage."""
    header: Json = {}
    messages: dict[str, Json] = {}
    updates: dict[str, str] = {}  # update id → message id
    damage = []
    try:
        for piece in skim.logs(path) if data is None else [read.read_log(data)]:
            damage += [each for each in piece.damage if each.reason != TORN]
            for record in (record.data for record in piece.records):
                type, of = record["type"], str(record.get("of"))
                if type in PLACING:
                    of = str(record["id"])
                elif type == "session":
                    header = header or record
                elif type == "update":
                    updates[str(record["id"])] = of
                is_answer = type in PLACING and (record.get("role") == "model" or "usage" in record)
                if is_answer or type in ("commit", "usage"):  # holding all messages takes memory
                    message = messages.setdefault(updates.get(of, of), {"ts": record.get("ts")})
                    message |= {name: record[name] for name in KEPT if text_of(record.get(name))}
                    if isinstance(record.get("usage"), dict):
                        message["usage"] = record["usage"]  # the last one counts
        problem = damage_summary(damage)
    except (HistoryError, OSError) as error:
        problem = reason(error, path) or "cannot be read"
    source = origin(header)
    name = text_of(source.get("agentName")) or "sub-agent"
    row = {
        "id": text_of(header.get("id")) or Target(path, "").id,
        "path": path.encode("utf-8", "replace").decode(),
        "created": timestamp(header.get("created")), "cwd": text_of(header.get("cwd")),
        "program": text_of(source.get("from")),
        "parent": text_of(object_of(header.get("parent")).get("session")),
        "agent": name if source.get("agent") is True else None,
        "responses": [*filter(None, (_response(id, message, table) for id, message in messages.items()))],
    }  # fmt: skip
    return {**row, "problem": problem} if problem else row


def _response(id: str, message: Json, table: Table) -> Json | None:
    """The response, named by the provider's id, else by the message's id and time; None without usage."""
    used = billed(message.pop("usage", {}))
    if used.keys().isdisjoint(COUNTS):
        return None
    millis = to_millis(timestamp(message["ts"]) or "")
    ts = None if millis is None else from_millis(millis)
    name = message.pop("responseId", None) or message.pop("response", None) or f"{id} {ts}"
    response = {**message, "name": name, "ts": ts, "used": used}
    return {**response, "cost": cost_of(response, table)}


def cost_of(response: Json, table: Table) -> float | None:
    """The price of a response by this table, in dollars."""
    if "model" not in response:
        return None
    price = table.price(response["model"], response.get("provider"), response["used"], response["ts"])
    return None if price is None else float(price)


def with_owners(rows: list[Json], only: set[str] | None = None) -> list[Json]:
    """Add to each row `of`, the session that it counts towards: a sub-agent's is its parent.

    `only`: return only the rows of these sessions and their sub-agents.
    """
    parents = {row["id"]: row["parent"] for row in rows if row["agent"] and row["parent"]}
    owned = []
    for row in rows:
        path = [row["id"]]
        while (parent := parents.get(path[-1])) and parent not in path:
            path.append(parent)
        if only is None or not only.isdisjoint(path):
            owned.append({**row, "of": path[-1]})
    return owned


class Sums(NamedTuple):
    """Totals by group in display order, the grand total, and models without a price.

    A total has `responses`, the tokens of COUNTS, the known `cost`, and `unpriced` responses.
    """

    by: str
    groups: dict[str, Counter[str]]
    total: Counter[str]
    unpriced: Counter[str]


def summed(
    rows: Iterable[Json], by: str, since: str | None = None, until: str | None = None, *,
    is_local: bool = False,
) -> Sums:  # fmt: skip
    """Sum each response once, by one of `BY`.

    `since`, `until`: times as stored. `is_local`: days in the local time zone.
    """
    groups: defaultdict[str, Counter[str]] = defaultdict(Counter)
    unpriced = Counter[str]()
    for response in once(rows):
        ts, cost = response["ts"], response["cost"]
        if (since or until) and not (ts and (since or "") <= ts <= (until or ts)):
            continue
        total = groups[_group(response, by, is_local=is_local)]
        total["responses"] += 1
        total["cost"] += cost or 0
        total.update({kind: response["used"].get(kind) or 0 for kind in COUNTS})
        if cost is None:
            total["unpriced"] += 1
            unpriced[response.get("model") or UNKNOWN] += 1
    order = sorted(groups.items(), key=lambda item: (item[0] == UNKNOWN, item[0]))
    if by not in BY_TIME:  # most expensive first
        order.sort(key=lambda item: (item[1]["cost"], item[1]["input"] + item[1]["output"]), reverse=True)
    return Sums(by, dict(order), sum(groups.values(), Counter()), unpriced)


def once(rows: Iterable[Json]) -> Iterator[Json]:
    """Yield each response with the fields of the first session that has it, not of its copies."""
    seen: set[tuple[object, ...]] = set()
    for row in sorted(rows, key=lambda row: (row["parent"] is not None, row["created"] or "", row["id"])):
        for response in row["responses"]:
            used = response["used"]
            key = response["name"], response.get("model"), used.get("input"), used.get("output")
            if key not in seen:
                seen.add(key)
                yield {**row, **response}


def _group(response: Json, by: str, *, is_local: bool) -> str:
    if by in BY_TIME:
        return _period(response["ts"][:16], by, is_local=is_local) if response["ts"] else UNKNOWN
    field, missing = FIELDS[by]
    return str(response.get(field) or missing)


@cache
def _period(minute: str, by: str, *, is_local: bool) -> str:
    """The day, week or month of a minute such as `2026-01-02T03:04`; days begin at a minute in any zone."""
    millis = to_millis(f"{minute}Z") if is_local else None
    day = minute[:10] if millis is None else f"{local()(millis):%Y-%m-%d}"
    if by != "week":
        return day if by == "day" else day[:7]
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year}-W{week:02d}"


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
