"""Move large content into the block store; the session keeps its hashes."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import Lost
from ..base.options import ALLOW_MISSING, REWRITE, STREAM, Reading, flag
from ..base.shared_options import Reduction
from ..filters import reduction
from ..views import filtering, persist
from ..views.view import report_missing_blocks

EXAMPLES = """\
  codeh-history persist demo -i
  codeh-history persist demo > demo.jsonl        # small: any machine with the same store hydrates it
  codeh-history persist demo --remove '<follow-up>.*?</follow-up>' --budget 32k > smaller.jsonl
  CODEH_BLOCKS=redis://blocks.example/0 codeh-history persist demo -i --all
"""


class Options(Reading, Reduction):
    every: bool = flag("All messages, not only those with parts above 4 KiB.", long="--all")
    in_place: bool = REWRITE
    jsonl: bool = STREAM
    allow_missing: bool = ALLOW_MISSING


def run(env: Env, options: Options) -> None:
    target = filtering.target_of(env, options)
    lost: Lost | None = {} if options.allow_missing else None
    steps = reduction.steps(env, options, target.id, in_place=options.in_place)
    every, strict = options.every, options.strict
    for step in steps if options.in_place else ():
        filtering.run(env, target, step, options, lost)
    if not options.in_place:
        lines = persist.persisted_stream(env, target, steps, every=every, strict=strict, lost=lost)
        filtering.print_rewritten(env, target, lines, jsonl=options.jsonl)
    elif not persist.persist(env, target, every=every, strict=strict, lost=lost):
        env.note(f"{target.id}: nothing to persist")
    report_missing_blocks(env, target.id, lost)
