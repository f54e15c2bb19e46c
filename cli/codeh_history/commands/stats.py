"""Count a session's tokens, by role, kind and tool."""

from typing import Annotated, Optional

import typer

from ..env import Env
from ..model import Json
from ..render import bars, values
from ..render.messages import rich_wanted, width
from ..talk.measuring import counter_for, measure
from ..talk.reading import open_view
from . import options

EXAMPLES = """\
  codeh-history stats demo
  codeh-history stats demo --counter cl100k_base
  codeh-history stats demo --json | jq .tokens.total
"""
STRAY = "the session is the only argument"
SINGLE = ("total", "system", "tools", "summaries")


def command(
    ctx: typer.Context,
    argument: options.Argument = None,
    counter: Annotated[
        Optional[str],
        typer.Option(
            "--counter", metavar="C", help="o200k_base, cl100k_base or approx; by the model's name without."
        ),
    ] = None,
    json: options.Json = False,
    session: options.Session = None,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    _, view = open_view(env, session, argument, strict=strict)
    found = measure(counter_for(env, view, counter), view)
    terminal = env.terminal(env.stdout)
    if json:
        env.write(values.line(found, terminal=terminal))
        return 0
    env.write(totals(found).encode())
    tokens = found["tokens"]
    groups = {name: tokens[f"by_{name}"] for name in ("role", "kind", "tool")}
    if rich_wanted(env):
        env.write(b"\n" + bars.rich(groups, width=width(), colour=env.colour))
    else:
        env.write(bars.plain(groups).encode())
    return 0


def totals(found: Json) -> str:
    """The single numbers, `NAME` and value separated by a tab."""
    pairs = [("counter", found["counter"])]
    pairs += [("tokens" if name == "total" else name, found["tokens"][name]) for name in SINGLE]
    pairs += [(name, found[name]) for name in ("messages", "exchanges")]
    return "".join(f"{name}\t{value}\n" for name, value in pairs)
