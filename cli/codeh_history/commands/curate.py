"""Remove what a model should not be sent again, and make the history valid."""

from functools import partial

import typer

from ..access import result as filtering
from ..base.env import Env
from ..base.options import Curation
from ..filters.curate import run as curating
from .options import AllowMissing, Argument, InPlace, Quiet, Report, Session, Strict
from .signature import taking

EXAMPLES = """\
  codeh-history curate demo --report > curated.jsonl
  codeh-history curate demo | codeh-history payload - --raw --to anthropic --model M
  codeh-history curate demo -i --remove '<follow-up>.*?</follow-up>'
  codeh-history curate demo --only pairs --unanswered stub
"""
STRAY = "the session is the only argument"


@taking(Curation)
def command(
    ctx: typer.Context,
    given: Curation,
    argument: Argument = None,
    in_place: InPlace = False,
    report: Report = False,
    allow_missing: AllowMissing = False,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    curating.settings(given)
    curating.names(given)
    target = filtering.target_of(env, session, argument)
    reduce = partial(curating.reduced, env, given, target.id, report=report)
    filtering.run(env, target, reduce, in_place=in_place, strict=strict, lost={} if allow_missing else None)
    return 0
