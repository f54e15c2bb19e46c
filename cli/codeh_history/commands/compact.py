"""Make a session fit a budget, reversibly: least loss first, nothing deleted."""

from typing import Annotated, Optional

import typer

from ..base.options import Compaction
from ..filters.compact import run as compact
from .options import AllowMissing, Argument, InPlace, Quiet, Report, Session, Strict
from .signature import taking

EXAMPLES = """\
  codeh-history curate demo | codeh-history compact - --budget 32k > smaller.jsonl
  codeh-history compact demo -i --budget 100k               # one reversible record; undo takes it back
  codeh-history compact demo --budget 32k --plan > plan.json
  codeh-history compact demo -i --apply plan.json
  codeh-history compact demo -i --max-items 100
"""
STRAY = "the session is the only argument"

System = Annotated[
    Optional[str],
    typer.Option("--system", metavar="TEXT|@FILE", help="The system prompt that is sent too."),
]
Tools = Annotated[
    Optional[str], typer.Option("--tools", metavar="@FILE", help="Tool declarations that are sent too.")
]
PlanOption = Annotated[
    bool, typer.Option("--plan", help="Print the plan as JSON, change nothing; with -i the plan of -i.")
]
Apply = Annotated[
    Optional[str], typer.Option("--apply", metavar="PLAN|-", help="Do what a printed plan says.")
]


@taking(Compaction)
def command(
    ctx: typer.Context,
    given: Compaction,
    argument: Argument = None,
    system: System = None,
    tools: Tools = None,
    plan: PlanOption = False,
    apply: Apply = None,
    in_place: InPlace = False,
    report: Report = False,
    allow_missing: AllowMissing = False,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    return compact.run(
        ctx.obj, argument=argument, session=session, system=system, tools=tools, plan=plan, apply=apply,
        in_place=in_place, report=report, allow_missing=allow_missing, strict=strict, quiet=quiet,
        **vars(given),
    )  # fmt: skip
