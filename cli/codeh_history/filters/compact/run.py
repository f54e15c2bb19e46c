"""`compact`: print the compacted session, record the compaction in place, or only plan it."""

from __future__ import annotations

import orjson

from ...base.env import Env
from ...base.errors import BadData, Lost, TryAgain, Usage
from ...base.input import from_file, read_file, required_stdin
from ...base.read_json import parse_json
from ...base.shared_options import Compact, Compaction, tools_from
from ...render.progress import progress, size_of
from ...session.model import Json
from ...session.ops import Op, apply
from ...session.view import View
from ...store import log
from ...store.resolve import Target, for_filtering
from ...views import filtering
from ...views.view import view_of
from . import Plan, Settings, bounds, read
from . import tiered as _  # noqa: F401  loaded while a pipe still delivers the session

SECOND = 4 << 20  # bytes compacted in about a second


def run(env: Env, options: Compact) -> int:
    """Make a session fit its limits, reversibly, or apply a plan."""
    system = None if options.system is None else from_file(options.system)
    tools = None if options.tools is None else tools_from(options.tools)
    bounds.limits(options)
    target = for_filtering(env, options.session, options.argument)
    data = b"" if options.apply is None else _plan_file(env, options, options.apply, target)
    limits = Settings()

    def plan_for(view: View) -> Plan:
        nonlocal limits
        if options.apply is not None:
            return read_plan(data, options.apply, view)
        limits = bounds.effective_limits(env, view, options, target.id, system, tools)
        limits = bounds.limits_or_window(env, view, target.id, limits)
        plan = bounds.plan(env, view, limits, in_place=options.in_place, exact=options.plan)
        if options.via is not None:
            if options.in_place and plan.ops:  # refuse a session that cannot be written before it runs
                log.append(env, target.path, lambda _: None)
            plan = bounds.by_command(env, target.id, view, plan, limits, options)
        if options.explain:
            from ...render import changes

            fields = bounds.explanation(env, target.id, view, apply(view, plan.ops), limits)
            changes.explain(env, fields, json=options.json)
        return plan

    lost: Lost | None = {} if options.allow_missing else None
    with progress(env, "compacting", size_of(target.path), SECOND):
        planned: Plan | None = None
        if options.plan or (options.via is not None and options.in_place and target.path != "-"):
            planned = plan_for(view_of(env, target, strict=options.strict, lost=lost))  # without the lock
            if options.plan:
                env.write(orjson.dumps(planned.to_json(), option=orjson.OPT_INDENT_2) + b"\n")
                return 0

        def reduce(view: View) -> tuple[list[Op], Json]:
            plan = plan_for(view) if planned is None else _checked(target, planned, view)
            _report(env, target.id, view, plan, report=options.report)
            return plan.ops, plan.fields()

        after = filtering.run(env, target, reduce, options, lost)
    if limits.items and len(after.messages) > limits.items:
        env.note(
            f"{target.id}: still {len(after.messages)} messages: the newest prompt, unit and pins stay"
        )
    return 0


def _checked(target: Target, plan: Plan, view: View) -> Plan:
    """Return the plan; raise TryAgain if anything that it changes has changed."""
    try:
        return read(plan.to_json(), view)
    except BadData:
        raise TryAgain(
            f"{target.path}: what was to be compacted changed meanwhile; nothing was stored"
        ) from None


def _plan_file(env: Env, options: Compact, file: str, target: Target) -> bytes:
    """Read the plan's bytes; raises Usage for options that the plan replaces."""
    others = (options.plan, options.via, options.system, options.tools)
    if any(option not in (None, False) for option in others) or options.specified(*Compaction.DEFAULTS):
        raise Usage("--apply takes its limits from the plan; pass no others")
    if options.explain:
        raise Usage("--explain requires --plan; an applied plan is not explained")
    if file == target.path == "-":
        raise Usage("--apply - and session - both read stdin; pass one as a file")
    return required_stdin(env) if file == "-" else read_file(file)


def read_plan(data: bytes, name: str, view: View) -> Plan:
    """Read a plan from a file; raises BadData if it is not a plan, or does not fit the session."""
    value = parse_json(data, name)
    try:
        return read(value, view)
    except BadData as error:
        raise BadData(f"{name}: {error}") from None


def _report(env: Env, session: str, view: View, plan: Plan, *, report: bool) -> None:
    """Write the report, and note the sizes, the counter and the stages."""
    for line in plan.report() if report else ():
        env.report(orjson.dumps(line))
    uploads = sum(step.stage == "uploads" for step in plan.steps)
    if uploads:
        env.note(f"{session}: {uploads} uploaded files left out: they exceed their share of the budget")
    if plan.steps:
        if plan.before is None or plan.after is None:
            size = f"{len(view.messages)} to {len(apply(view, plan.ops).messages)} messages"
        else:
            unit = plan.counter if plan.counter == "characters" else f"tokens by {plan.counter}"
            size = f"{plan.before:,} to {plan.after:,} {unit}"
        env.note(f"{session}: {size} ({', '.join(plan.stages)})")
