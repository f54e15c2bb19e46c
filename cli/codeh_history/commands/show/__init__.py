"""Show the conversation as a model sees it, and what is pending."""

from __future__ import annotations

from ...base.env import Env
from ...base.errors import Lost, Usage
from ...base.options import JSON, JSONL, NO_PAGER, Reading, flag, option
from ...render import messages, pager, values
from ...store.resolve import for_reading
from ...views.view import tell_lost
from . import numbered

EXAMPLES = """\
  codeh-history show demo                    # :N KIND TIME ID, then the text; laid out on a terminal
  codeh-history show demo -n 2 --follow      # keep printing what arrives, Ctrl-C ends it
  codeh-history show demo --jsonl | jq -r 'select(.role == "model").id'
  codeh-history show demo --curated          # without what curate would remove
  codeh-history curate demo | codeh-history show -
"""
STRAY = "the session is the only argument; -n N shows the last N messages"


class Options(Reading):
    last: int | None = option("N", "Only the last N messages.", "--last", long="-n", least=1)
    items: bool = flag(
        "JSON lines with the committed and pending content of each message.", excludes=("json", "jsonl")
    )
    curated: bool = flag("As `curate` would leave it.")
    json: bool = JSON
    jsonl: bool = JSONL
    follow: bool = flag("Keep printing as messages arrive.", "-f")
    no_pager: bool = NO_PAGER


def run(env: Env, options: Options) -> None:
    if options.follow and (options.items or options.json or options.curated):
        raise Usage("--follow prints text or --jsonl only")
    target = for_reading(env, options.session, options.argument)
    if options.follow:
        if target.path == "-":
            raise Usage("--follow cannot follow stdin; name a session")
        from .follow import follow

        follow(env, target, last=options.last, jsonl=options.jsonl, strict=options.strict)
    lost: Lost = {}
    shown = numbered.read(
        env, target, last=options.last, curated=options.curated, strict=options.strict, lost=lost
    )
    if options.items or options.json or options.jsonl:
        as_json = numbered.item_json if options.items else numbered.message_json
        records = (as_json(number, message) for number, message in shown.messages)
        for line in values.lines(records, as_array=options.json):
            env.write(line)
    else:
        pager.show(env, messages.document(env, *shown), paged=not options.no_pager)
    tell_lost(env, target.id, lost, strict=options.strict)
