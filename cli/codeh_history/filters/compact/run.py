"""`compact`: print the compacted session, record the compaction in place, or only plan it."""

from __future__ import annotations

from functools import partial

import orjson

from ...base.env import Env
from ...base.errors import BadData, Lost, SummarizerFailed, TryAgain, Usage
from ...base.input import from_file, read_file, required_stdin
from ...base.read_json import parse_json
from ...base.shared_options import Compact, tools_from
from ...render.progress import progress, size_of
from ...session.model import Json
from ...session.ops import Op, apply
from ...session.view import View
from ...store import log
from ...store.resolve import Target, for_filtering
from ...views import filtering
from ...views.view import view_of
from . import Plan, bounds, read
from . import tiered as _  # noqa: F401  loaded while a pipe still delivers the session

SECOND = 4 << 20  # bytes compacted in about a second


def run(env: Env, options: Compact) -> int:
    """Make a session fit its limits, reversibly, or apply a plan."""
    request: Json = {} if options.system is None else {"system": from_file(options.system)}
    request |= {} if options.tools is None else {"tools": tools_from(options.tools)}
    bounds.limits(options)
    target = for_filtering(env, options.session, options.argument)
    value: Json | None = None  # a plan that is made already
    if options.apply is not None:
        if options.apply == target.path == "-":
            raise Usage("--apply - and session - both read stdin; pass one as a file")
        data = required_stdin(env) if options.apply == "-" else read_file(options.apply)
        value = parse_json(data, options.apply)

    plan_for = partial(_plan, env, target, options, request)

    def reduce(view: View) -> tuple[list[Op], Json]:
        try:
            plan = plan_for(view) if value is None else read(value, view, options.apply or "")
        except BadData:
            if value is None or options.apply is not None:
                raise
            changed = "what was to be compacted changed meanwhile; nothing was stored"
            raise TryAgain(f"{target.path}: {changed}") from None
        _report(env, target.id, view, plan, report=options.report)
        return plan.ops, plan.fields()

    lost: Lost | None = {} if options.allow_missing else None
    with progress(env, "compacting", size_of(target.path), SECOND):
        if options.plan or (options.via is not None and options.in_place and target.path != "-"):
            value = plan_for(view_of(env, target, strict=options.strict, lost=lost)).to_json()  # unlocked
            if options.plan:
                env.write(orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n")
                return 0
        filtering.run(env, target, reduce, options, lost)
    return 0


def _plan(env: Env, target: Target, options: Compact, request: Json, view: View) -> Plan:
    """Plan a compaction; `request` has the system prompt and tools of options."""
    limits = bounds.effective_limits(env, view, options, target.id)._replace(**request)
    limits = bounds.limits_or_window(env, view, target.id, limits)
    limits = limits._replace(hysteresis=options.in_place, exact=options.plan)
    plan = bounds.plan(env, view, limits)
    if options.via is not None:
        from .outline import by_command

        if not limits.budget:
            raise Usage("--via requires --budget N")
        if options.in_place and plan.ops:  # refuse a session that cannot be written before it runs
            log.append(env, target.path, lambda _: None)
        try:
            plan = by_command(view, plan, bounds.counter_of(env, view, limits), limits, options.via)
        except SummarizerFailed as error:
            if options.strict:
                raise SummarizerFailed(f"{target.id}: {error}; nothing changed") from None
            env.note(f"{target.id}: {error}; the built-in summary is used instead")
    after = apply(view, plan.ops)
    if options.explain:
        bounds.explain(env, target.id, view, after, limits, json=options.json)
    left = len(after.messages)
    if 0 < limits.items < left:
        env.note(f"{target.id}: still {left} messages: the newest prompt, unit and pins stay")
    return plan


def _report(env: Env, session: str, view: View, plan: Plan, *, report: bool) -> None:
    """Write the report, and note the sizes, the counter and the stages."""
    for line in plan.report() if report else ():
        env.report(orjson.dumps(line))
    uploads = sum(step.stage == "uploads" for step in plan.steps)
    if uploads:
        env.note(f"{session}: {uploads} uploaded files left out: they exceed their share of the budget")
    if not plan.steps:
        return
    if plan.before is None or plan.after is None:
        size = f"{len(view.messages)} to {len(apply(view, plan.ops).messages)} messages"
    else:
        unit = plan.counter if plan.counter == "characters" else f"tokens by {plan.counter}"
        size = f"{plan.before:,} to {plan.after:,} {unit}"
    env.note(f"{session}: {size} ({', '.join(plan.stages)})")
