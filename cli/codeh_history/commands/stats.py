"""Count a session's tokens, by role and tool."""

from __future__ import annotations

from ..base import amounts
from ..base.env import Env
from ..base.errors import Usage
from ..base.options import ALLOW_MISSING, JSON, Reading, flag, option
from ..base.shared_options import Compaction, beside
from ..filters.costs import counting, largest, measure
from ..render import bars, values
from ..render.explanation import labelled
from ..render.messages import rich_wanted, width
from ..render.progress import progress, size_of
from ..session.exchanges import prompts
from ..session.model import Json
from ..session.rules import NAME_OF_KIND
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
SINGLE = ("total", "system", "tools", "summaries")
BUDGET = "100k"
SECOND = 512 << 10  # bytes of a session whose requests are replayed in about a second
TOKENS = "tokens"
TIMES = "times the count"
UNITS = {  # of numbers whose name is not what is counted
    "system": TOKENS, "tools": TOKENS, "summaries": TOKENS,
    "cache budget": TOKENS, "cache input": TOKENS, "cache cached": TOKENS,
    "cache cost": "tokens of input", "cache relative": "of the cost without compaction",
    "calibration factor": TIMES, "calibration median": TIMES, "calibration least": TIMES,
    "calibration most": TIMES,
}  # fmt: skip


class Options(Reading):
    counter: str | None = option("C", "o200k_base, cl100k_base or approx (default: by the model's name).")
    calibrated: bool = flag("Scale counts by the usage recorded for the model.")
    cache: bool = flag("Replay the session's requests: tokens, cached tokens, cost.")
    budget: str | None = option(
        "N", f"With --cache: compact to N tokens ({BUDGET}); with --top: the window."
    )
    policy: str | None = option("P", "With --cache: tiered (default) or loop.")
    top: int | None = option(
        "N", "The N largest parts, with their share of --budget or of the total.", least=1
    )
    no_tokens: bool = flag("Count only messages and exchanges; do not read the block store.")
    json: bool = JSON
    allow_missing: bool = ALLOW_MISSING


def run(env: Env, given: Options) -> None:
    if given.no_tokens:
        without_tokens(env, given)
        return
    limits = _limits(given)
    target, view = open_view(env, given, allow_missing=given.allow_missing)
    by = counting(env, view, target.id, Compaction(counter=given.counter))
    extra: Json = {}
    if given.calibrated:
        from ..views.calibration import asked

        extra["calibration"] = asked(env, view, by, given.counter)
        by = by.calibrated(extra["calibration"]["factor"])
    if limits:
        from ..filters.compact.replay import cache_bill

        with progress(env, "replaying", size_of(target.path), SECOND) as told:
            extra["cache"] = cache_bill(by, view, *limits, told.done)
    found = measure(by, view)
    window = amounts.tokens(given.budget) if given.budget is not None else found["tokens"]["total"]
    if given.top:
        system, tools = beside(view.meta)
        extra["largest"] = largest(by, rendered(view), given.top, system, tools, window)
    if given.json:
        env.write(values.line(found | extra))
        return
    parts = {labelled(part): part["tokens"] for part in extra.pop("largest", ())}
    rich = rich_wanted(env)
    env.write(totals(found, extra, aligned=rich).encode())
    tokens = found["tokens"]
    roles = {NAME_OF_KIND[kind]: amount for kind, amount in tokens["by_kind"].items()}
    groups = {"role": roles, "tool": tokens["by_tool"]}
    whole = {"largest": window}
    if parts:
        groups["largest"] = parts
    if rich:
        env.draw(b"\n" + bars.rich(groups, whole, width=width(), colour=env.colour))
    else:
        env.write(bars.plain(groups, whole).encode())


def without_tokens(env: Env, given: Options) -> None:
    """How many messages and exchanges, as `list` counts them: of what lies in blocks nothing is read."""
    if alone := given.specified("counter", "calibrated", "cache", "budget", "policy", "top"):
        raise Usage(f"--no-tokens and --{alone[0]} cannot be combined")
    target = for_reading(env, given.session, given.argument)
    view = view_of(env, target, strict=given.strict, hydrate=False)
    found = {"messages": len(view.messages), "exchanges": prompts(view.messages)}
    lines = "".join(f"{name}\t{number}\n" for name, number in found.items())
    env.write(values.line(found) if given.json else lines.encode())


def _limits(given: Options) -> tuple[int, str] | None:
    """The budget and policy of a replay; exit 2 where they are none, or no replay is asked for."""
    policy, alone = given.policy, given.specified("policy", *(() if given.top else ("budget",)))
    if alone and not given.cache:
        raise Usage(f"--{alone[0]} requires --cache")
    if not given.cache:
        return None
    from ..filters.compact import POLICIES

    if policy is not None and policy not in POLICIES:
        raise Usage(f"--policy {policy}: must be one of {', '.join(POLICIES)}")
    return amounts.tokens(BUDGET if given.budget is None else given.budget), policy or "tiered"


def totals(found: Json, extra: Json, *, aligned: bool) -> str:
    """The single numbers: name (of `extra` after the group's), value, unit; tabs between, or columns."""
    pairs = [("counter", found["counter"])]
    pairs += [("tokens" if name == "total" else name, found["tokens"][name]) for name in SINGLE]
    pairs += [(name, found[name]) for name in ("messages", "exchanges")]
    for group, numbers in extra.items():
        pairs += [
            (f"{group} {name}", round(value, 4) if isinstance(value, float) else value)
            for name, value in numbers.items()
        ]
    column = 2 + max(len(name) for name, _ in pairs)
    lines = ([name, str(value), *filter(None, [UNITS.get(name)])] for name, value in pairs)
    if aligned:
        return "".join(f"{name:{column}}{' '.join(rest)}\n" for name, *rest in lines)
    return "".join("\t".join(line) + "\n" for line in lines)
