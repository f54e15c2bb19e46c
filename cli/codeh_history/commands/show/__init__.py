"""Show the conversation: what a model would see now, and what is pending."""

from typing import Annotated, Optional

import typer

from ...access.view import tell_lost
from ...base.env import Env
from ...base.errors import Usage
from ...blocks import Lost
from ...render import messages, values
from ...store.resolve import for_reading
from .. import options
from . import follow as following
from . import numbered

EXAMPLES = """\
  codeh-history show demo                    # :N KIND TIME ID, then the text; laid out on a terminal
  codeh-history show demo -n 2 --follow      # keep printing what arrives, Ctrl-C ends it
  codeh-history show demo --jsonl | jq -r 'select(.role == "model").id'
  codeh-history show demo --curated          # without what curate would remove
  codeh-history curate demo | codeh-history show -
"""
STRAY = "the session is the only argument; -n N shows the last N messages"


def command(
    ctx: typer.Context,
    argument: options.Argument = None,
    last: Annotated[
        Optional[int], typer.Option("-n", "--last", metavar="N", min=1, help="Only the last N messages.")
    ] = None,
    items: Annotated[
        bool, typer.Option("--items", help="JSON lines: {committed, pending} of each message.")
    ] = False,
    curated: Annotated[bool, typer.Option("--curated", help="As `curate` would leave it.")] = False,
    json: options.Json = False,
    jsonl: options.JsonLines = False,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what arrives.")] = False,
    session: options.Session = None,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    if sum((items, json, jsonl)) > 1:
        raise Usage("--items, --json, --jsonl: one of them")
    if follow and (items or json or curated):
        raise Usage("--follow prints text or --jsonl as it arrives, nothing else")
    target = for_reading(env, session, argument)
    if follow:
        if target.path == "-":
            raise Usage("--follow: a stream on stdin has no later; name a session")
        following.follow(env, target, last=last, jsonl=jsonl, strict=strict)
    lost: Lost = {}
    summaries, shown = numbered.read(env, target, last=last, curated=curated, strict=strict, lost=lost)
    if items or json or jsonl:
        one = numbered.item_json if items else numbered.message_json
        found = (one(number, message) for number, message in shown)
        for line in values.lines(found, as_array=json, terminal=env.terminal(env.stdout)):
            env.write(line)
    else:
        env.draw(messages.document(env, summaries, shown))
    tell_lost(env, target.id, lost, strict=strict)
    return 0
