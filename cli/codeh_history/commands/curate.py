"""Remove what a model should not see; make the history valid."""

from __future__ import annotations

from functools import partial

from ..base.env import Env
from ..base.errors import Lost
from ..base.options import ALLOW_MISSING, IN_PLACE, REPORT, STREAM, Reading
from ..base.shared_options import Curation
from ..filters.curate import run as curating
from ..store.resolve import for_filtering
from ..views import filtering

EXAMPLES = """\
  codeh-history curate demo --report > curated.jsonl
  codeh-history curate demo | codeh-history payload - --raw --to anthropic --model M
  codeh-history curate demo -i --remove '<follow-up>.*?</follow-up>'
  codeh-history curate demo --only pairs --unanswered stub
"""


class Options(Reading, Curation):
    in_place: bool = IN_PLACE
    jsonl: bool = STREAM
    report: bool = REPORT
    allow_missing: bool = ALLOW_MISSING


def run(env: Env, options: Options) -> None:
    curating.settings(options)
    curating.names(options)
    target = for_filtering(env, options.session, options.argument)
    reduce = partial(curating.curation_ops, env, options, target.id, report=options.report)
    lost: Lost | None = {} if options.allow_missing else None
    filtering.run(env, target, reduce, options, lost)
