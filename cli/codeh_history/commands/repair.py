"""Make a broken history whole again: every call answered, every response called, damage left behind."""

from typing import Annotated, Optional

import orjson
import typer

from ..access import result as filtering
from ..access import view as reading
from ..base.env import Env
from ..base.errors import Usage
from ..filters.curate import passes
from ..filters.curate.base import Settings
from ..session import stream
from ..session.fold import View
from ..session.model import Json
from ..session.ops import Op, apply
from ..store import create
from .options import Argument, InPlace, Quiet, Report, Session

EXAMPLES = """\
  codeh-history repair demo -i --report        # one reversible record; undo takes it back
  codeh-history repair demo --output whole.jsonl
  codeh-history repair demo | codeh-history payload - --to anthropic --model M
"""
STRAY = "the session is the only argument"


def command(
    ctx: typer.Context,
    argument: Argument = None,
    unanswered: Annotated[
        str,
        typer.Option(
            "--unanswered", metavar="U", help="Open calls at the end: error (left alone), stub or drop."
        ),
    ] = "error",
    output: Annotated[
        Optional[str],
        typer.Option("--output", metavar="FILE", help="Write a new session instead of stdout."),
    ] = None,
    in_place: InPlace = False,
    report: Report = False,
    session: Session = None,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    if unanswered not in ("error", "stub", "drop"):
        raise Usage(f"--unanswered {unanswered}: error, stub or drop")
    if output is not None and in_place:
        raise Usage("--output and -i: one of them")
    settings = Settings(unanswered=unanswered)

    def reduce(view: View) -> tuple[list[Op], Json]:
        _, ops, lines = passes.curate(view, settings, ("pairs",))
        for line in lines if report else ():
            env.report(orjson.dumps(line))
        if not report and ops:
            env.note(f"{view.id}: {len(lines)} repairs (--report shows each)")
        return ops, {"policy": "repair"}

    target = filtering.target_of(env, session, argument)
    if output is None:
        filtering.run(env, target, reduce, in_place=in_place)
        return 0
    view = reading.view_of(env, target)
    ops, _ = reduce(view)
    body = b"".join(
        line for line in stream.lines(apply(view, ops)) if line.rstrip(b"\n") != view.header_raw
    )
    path = create.free_path(env, output, output)
    create.session(env, path, lambda _: body, parent={"session": view.id or target.id, "at": None})
    return 0
