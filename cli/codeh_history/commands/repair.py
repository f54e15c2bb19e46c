"""Make a broken history whole again: every call answered, every response called, damage left behind."""

from __future__ import annotations

import orjson

from ..access import fork
from ..access import result as filtering
from ..access import view as reading
from ..base.env import Env
from ..base.errors import Usage
from ..base.jobs import UNANSWERED
from ..base.options import ARGUMENT, IN_PLACE, QUIET, REPORT, SESSION, STREAM, Options, option
from ..filters.curate import passes
from ..filters.curate.base import Settings
from ..session.fold import View
from ..session.model import Json
from ..session.ops import Op, apply
from ..store import create
from ..store.resolve import for_filtering

EXAMPLES = """\
  codeh-history repair demo -i --report        # one reversible record, if anything changes
  codeh-history repair demo --output whole.jsonl
  codeh-history repair demo | codeh-history payload - --to anthropic --model M
"""


class Given(Options):
    argument: str | None = ARGUMENT
    unanswered: str = option(
        "U", "Open calls at the end: error (left alone), stub or drop.", default="error"
    )
    output: str | None = option("FILE", "Write a new session instead of stdout.")
    in_place: bool = IN_PLACE
    jsonl: bool = STREAM
    report: bool = REPORT
    session: str | None = SESSION
    quiet: bool = QUIET


def run(env: Env, given: Given) -> None:
    if given.unanswered not in UNANSWERED:
        raise Usage(f"--unanswered {given.unanswered}: error, stub or drop")
    given.one_of("--output and -i", "output", "in_place")
    settings = Settings(unanswered=given.unanswered)

    def reduce(view: View) -> tuple[list[Op], Json]:
        _, ops, lines = passes.curate(view, settings, ("pairs",))
        for line in lines if given.report else ():
            env.report(orjson.dumps(line))
        if not given.report and ops:
            env.note(f"{view.id}: {len(lines)} repairs (--report shows each)")
        return ops, {"policy": "repair"}

    target = for_filtering(env, given.session, given.argument)
    if given.output is None:
        filtering.run(env, target, reduce, in_place=given.in_place, jsonl=given.jsonl)
        return
    view = reading.view_of(env, target)
    ops, _ = reduce(view)
    path = create.free_path(env, given.output, given.output)
    fork.written(env, path, apply(view, ops), {"session": view.id or target.id, "at": None})
