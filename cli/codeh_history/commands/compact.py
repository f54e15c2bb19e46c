"""Make a session fit a budget, reversibly: least loss first, nothing deleted."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Optional

import orjson
import typer

from ..env import Env
from ..errors import Usage
from ..model import Json
from ..ops import Op
from ..stages.compact import POLICIES, Plan
from ..store.resolve import Target
from ..talk import amounts, append, compacting, filtering
from ..talk.compacting import Limits
from ..talk.reading import view_of
from ..view import View
from .options import Argument, InPlace, Quiet, Report, Session, Strict

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
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    limits = Limits(
        budget=_amount(budget, "--budget"), characters=_amount(max_chars, "--max-chars"),
        items=_amount(max_items, "--max-items"), keep_last=_amount(keep_last, "--keep-last") or 0,
        policy=policy, counter=counter, calibrated=calibrated, upload_share=upload_share,
        history_share=history_share, system=_system(system), tools=_tools(tools),
    )  # fmt: skip
    target = filtering.target_of(env, session, argument)
    if apply is None:
        compacting.checked(limits)
    elif plan or limits != Limits():
        raise Usage("--apply takes its limits from the plan: give no others")
    data = b"" if apply is None else _plan_in(env, apply, target)

    def made(view: View) -> Plan:
        if apply is not None:
            return compacting.read_plan(data, apply, view)
        return compacting.plan(env, view, limits, in_place=in_place, exact=plan)

    if plan:
        return _printed(env, made(view_of(env, target, strict=strict)))
    reduce = partial(_reduced, env, target, made, report=report)
    after = filtering.run(env, target, reduce, in_place=in_place, strict=strict)
    if limits.items and len(after.messages) > limits.items:
        env.note(f"{target.id}: still {len(after.messages)} messages: the newest exchange and pins stay")
    return 0


def _printed(env: Env, plan: Plan) -> int:
    env.write(orjson.dumps(plan.to_json(), option=orjson.OPT_INDENT_2) + b"\n")
    return 0


def _reduced(
    env: Env, target: Target, made: Callable[[View], Plan], view: View, *, report: bool
) -> tuple[list[Op], Json]:
    """What the plan for a view does, and the fields of its record; tells about it."""
    plan = made(view)
    for line in plan.report() if report else ():
        env.report(orjson.dumps(line))
    _tell(env, target.id, plan)
    return plan.ops, plan.fields()


def _plan_in(env: Env, file: str, target: Target) -> bytes:
    if file == target.path == "-":
        raise Usage("--apply - and the session - are both stdin: give one as a file")
    return env.read_stdin() if file == "-" else append.read_file(file)


def _system(text: str | None) -> str | None:
    if text is None:
        return None
    from ..talk.payload import from_file

    return from_file(text)


def _tools(text: str | None) -> list[Json] | None:
    if text is None:
        return None
    from ..talk.payload import tools_from

    return tools_from(text)


def _amount(text: str | None, option: str) -> int | None:
    return None if text is None else amounts.tokens(text, option)


def _tell(env: Env, session: str, plan: Plan) -> None:
    """A line for people: what was done, by which counter."""
    if not plan.steps:
        return
    uploads = sum(step.stage == "uploads" for step in plan.steps)
    if uploads:
        env.note(f"{session}: {uploads} uploaded files left out: they exceed their share of the budget")
    if plan.before is not None and plan.after is not None:
        size = f"{plan.before:,} to {plan.after:,} tokens by {plan.counter}"
        env.note(f"{session}: {size} ({', '.join(plan.stages)})")
