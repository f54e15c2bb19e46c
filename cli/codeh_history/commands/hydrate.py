"""Bring content back from the block store."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import Lost
from ..base.options import ALLOW_MISSING, REWRITE, STREAM, Reading
from ..views import filtering, persist
from ..views.view import report_missing_blocks

EXAMPLES = """\
  codeh-history hydrate demo.jsonl | codeh-history show -
  codeh-history hydrate demo -i
  codeh-history hydrate demo --allow-missing > rest.jsonl
"""


class Options(Reading):
    allow_missing: bool = ALLOW_MISSING
    in_place: bool = REWRITE
    jsonl: bool = STREAM


def run(env: Env, options: Options) -> None:
    target = filtering.target_of(env, options)
    lost: Lost | None = {} if options.allow_missing else None
    if not options.in_place:
        lines = persist.hydrated_stream(env, target, lost=lost, strict=options.strict)
        filtering.print_rewritten(env, target, lines, jsonl=options.jsonl)
    elif not persist.hydrate(env, target, lost=lost, strict=options.strict):
        env.note(f"{target.id}: nothing to hydrate")
    report_missing_blocks(env, target.id, lost)
