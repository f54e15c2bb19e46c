"""Make a session fit a budget, reversibly: least loss first, nothing deleted."""

from typing import Annotated, Optional

import typer

from ..stages.compact import POLICIES
from ..talk import compact
from .options import AllowMissing, Argument, InPlace, Quiet, Report, Session, Strict

EXAMPLES = """\
  codeh-history curate demo | codeh-history compact - --budget 32k > smaller.jsonl
  codeh-history compact demo -i --budget 100k               # one reversible record; undo takes it back
  codeh-history compact demo --budget 32k --plan > plan.json
  codeh-history compact demo -i --apply plan.json
  codeh-history compact demo -i --max-items 100
"""
STRAY = "the session is the only argument"

_Number = Optional[str]

Budget = Annotated[
    _Number,
    typer.Option("--budget", metavar="N", help="Tokens, system and tools included; 32k is 32000."),
]
MaxChars = Annotated[
    _Number,
    typer.Option("--max-chars", metavar="N", help="Characters of texts, arguments and results."),
]
MaxItems = Annotated[
    _Number, typer.Option("--max-items", metavar="N", help="Messages; whole oldest exchanges go first.")
]
KeepLast = Annotated[
    _Number,
    typer.Option(
        "--keep-last",
        metavar="N",
        help="Leave the last N exchanges as they are; alone: only those stay.",
    ),
]
Policy = Annotated[
    Optional[str],
    typer.Option("--policy", metavar="P", help=f"{' or '.join(POLICIES)}; loop where a share is given."),
]
System = Annotated[
    Optional[str],
    typer.Option("--system", metavar="TEXT|@FILE", help="The system prompt that is sent too."),
]
Tools = Annotated[
    Optional[str], typer.Option("--tools", metavar="@FILE", help="Tool declarations that are sent too.")
]
Counter = Annotated[
    Optional[str],
    typer.Option("--counter", metavar="C", help="o200k_base, cl100k_base, approx, or a model's name."),
]
Calibrated = Annotated[
    bool, typer.Option("--calibrated", help="Correct the count by the usage recorded for the model.")
]
UploadShare = Annotated[
    Optional[float],
    typer.Option("--upload-share", metavar="S", help="What uploads may take of the budget (0.6)."),
]
HistoryShare = Annotated[
    Optional[float],
    typer.Option("--history-share", metavar="S", help="The same for earlier exchanges (0.2)."),
]
PlanOption = Annotated[
    bool, typer.Option("--plan", help="Print the plan as JSON, change nothing; with -i the plan of -i.")
]
Apply = Annotated[
    Optional[str], typer.Option("--apply", metavar="PLAN|-", help="Do what a printed plan says.")
]


def command(
    ctx: typer.Context,
    argument: Argument = None,
    budget: Budget = None,
    max_chars: MaxChars = None,
    max_items: MaxItems = None,
    keep_last: KeepLast = None,
    policy: Policy = None,
    system: System = None,
    tools: Tools = None,
    counter: Counter = None,
    calibrated: Calibrated = False,
    upload_share: UploadShare = None,
    history_share: HistoryShare = None,
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
        ctx.obj, argument=argument, session=session, budget=budget, max_chars=max_chars,
        max_items=max_items, keep_last=keep_last, policy=policy, system=system, tools=tools,
        counter=counter, calibrated=calibrated, upload_share=upload_share, history_share=history_share,
        plan=plan, apply=apply, in_place=in_place, report=report, allow_missing=allow_missing,
        strict=strict, quiet=quiet,
    )  # fmt: skip
