"""Count a session's tokens, by role and tool."""

from __future__ import annotations

from ..base.env import Env
from ..base.options import ALLOW_MISSING, JSON, Reading, amount, flag, option
from ..base.shared_options import Compaction, system_and_tools
from ..filters.costs import counting, largest, measure
from ..render import table
from ..render.changes import labelled
from ..render.messages import rich_wanted, width
from ..render.progress import progress, size_of
from ..session.exchanges import prompts
from ..session.model import NAME_OF_KIND, Json
from ..session.sources import rendered
from ..store.resolve import for_reading
from ..views.view import open_view, view_of

EXAMPLES = """\
  codeh-history stats demo
  codeh-history stats demo --counter cl100k_base
  codeh-history stats demo --json | jq .tokens.total
  codeh-history stats demo --no-tokens --json       # messages and exchanges alone: reads no block
  codeh-history stats demo --cache --budget 64k     # what its requests cost, compacted with -i as it grew
  codeh-history stats demo --calibrated             # by what the provider reported it counted
  codeh-history stats demo --top 10 --budget 200k   # what fills the context, of a window of so many tokens
"""

SINGLE = ("system", "tools", "summaries")
BUDGET = 100_000  # default of --cache
SECOND = 512 << 10  # bytes of a session replayed in about a second
UNITS = {  # of totals whose names do not include a unit
    "cache cost": "tokens of input", "cache relative": "of the cost without compaction",
    **dict.fromkeys(("system", "tools", "summaries"), "tokens"),
    **dict.fromkeys(("cache budget", "cache input", "cache cached"), "tokens"),
    **{f"calibration {name}": "times the count" for name in ("factor", "median", "least", "most")},
}  # fmt: skip


class Options(Reading):
    counter: str | None = option("C", "o200k_base, cl100k_base or approx (default: by the model's name).")
    calibrated: bool = flag("Scale counts by the usage recorded for the model.")
    cache: bool = flag("Replay the session's requests: tokens, cached tokens, cost.")
    budget: int | None = amount(
        "With --cache: compact to N tokens (100k); with --top: the window.", "tokens",
        requires=("cache", "top"),
    )  # fmt: skip
    top: int | None = option("N", "The N largest parts, with their share of --budget.", least=1)
    no_tokens: bool = flag(
        "Count only messages and exchanges; do not read the block store.",
        excludes=("counter", "calibrated", "cache", "budget", "top"),
    )
    json: bool = JSON
    allow_missing: bool = ALLOW_MISSING


def run(env: Env, options: Options) -> None:
    if options.no_tokens:  # counts messages and exchanges like `list`, without reading the block store
        target = for_reading(env, options.session, options.argument)
        view = view_of(env, target, strict=options.strict, hydrate=False)
        few = {"messages": len(view.messages), "exchanges": prompts(view.messages)}
        env.print_json(few) if options.json else env.write(table.separated(few.items()))
        return
    target, view = open_view(env, options, allow_missing=options.allow_missing)
    counter = counting(env, view, target.id, Compaction(counter=options.counter))
    extra: Json = {}
    if options.calibrated:
        from ..views.calibration import for_model

        extra["calibration"] = for_model(env, view, counter, options.counter)
        counter = counter.calibrated(extra["calibration"]["factor"])
    if options.cache:
        from ..filters.compact.replay import cache_bill

        with progress(env, "replaying", size_of(target.path), SECOND) as done:
            extra["cache"] = cache_bill(counter, view, options.budget or BUDGET, done)
    counts = measure(counter, view)
    window = options.budget or counts["tokens"]["total"]
    if options.top:
        system, tools = system_and_tools(view.meta)
        extra["largest"] = largest(counter, rendered(view), options.top, system, tools, window)
    if options.json:
        env.print_json(counts | extra)
        return
    rich = rich_wanted(env)
    parts = {labelled(part): part["tokens"] for part in extra.pop("largest", ())}
    env.write(totals(counts, extra, aligned=rich).encode())
    roles = {NAME_OF_KIND[kind]: tokens for kind, tokens in counts["tokens"]["by_kind"].items()}
    groups = {"role": roles, "tool": counts["tokens"]["by_tool"], **({"largest": parts} if parts else {})}
    whole_of = {"largest": window}
    if rich:
        env.draw(b"\n" + table.drawn_bars(groups, whole_of, width=width(), colour=env.colour))
    else:
        env.write(table.bars(groups, whole_of))


def totals(counts: Json, extra: Json, *, aligned: bool) -> str:
    """The totals, a line each: name, value and unit, separated by tabs or aligned."""
    rows = {"counter": counts["counter"], "tokens": counts["tokens"]["total"]}
    rows |= {name: counts["tokens"][name] for name in SINGLE}
    rows |= {name: counts[name] for name in ("messages", "exchanges")}
    for group, numbers in extra.items():
        for name, value in numbers.items():
            rows[f"{group} {name}"] = round(value, 4) if isinstance(value, float) else value
    lines = ([name, str(value), *([UNITS[name]] if name in UNITS else [])] for name, value in rows.items())
    if not aligned:
        return "".join("\t".join(line) + "\n" for line in lines)
    column = 2 + max(map(len, rows))
    return "".join(f"{name:{column}}{' '.join(rest)}\n" for name, *rest in lines)
