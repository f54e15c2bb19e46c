"""Limits from flags and settings, the counter to measure them by, and the plan that meets them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from ...base.env import Env
from ...base.errors import SummarizerFailed, Usage
from ...base.shared_options import Compact, Compaction, from_settings, system_and_tools
from ...session.model import Json
from ...session.ops import apply, drop
from ...session.sources import rendered
from ...session.view import View
from ...tokens.counter import Characters, Counter, open_counter
from .. import compact
from ..costs import counter_for
from . import Plan, Settings
from .draft import History
from .plan import Step
from .units import Layout, limit_messages

WINDOW = 0.6  # of the model's context window, if no limit is given
SECONDS = 120  # time limit for one request
NO_LIMIT = "pass --budget N (32k), --max-chars, --max-items or --keep-last"


def limits(options: Compaction, system: str | None = None, tools: Sequence[Json] | None = None) -> Settings:
    """Read the limits from options; raises Usage if one is invalid or they contradict each other."""
    uploads, history = options.upload_share, options.history_share
    capped, uploads = uploads is not None, 0.6 if uploads is None else uploads
    wanted = Settings(
        budget=options.budget or 0, characters=options.max_chars or 0,
        items=options.max_items or 0, keep_last=options.keep_last or 0,
        policy=options.policy or ("loop" if capped or history is not None else "tiered"),
        counter=options.counter, calibrated=options.calibrated, system=system, tools=tools,
        upload_share=uploads, capped=capped,
        history_share=min(0.2, max(0.0, 1 - uploads)) if history is None else history,
    )  # fmt: skip
    if wanted.counter is not None:
        open_counter(wanted.counter)
    if wanted.upload_share + wanted.history_share > 1 + 1e-9:
        raise Usage("--upload-share and --history-share together are more than the budget")
    return wanted


def effective_limits(
    env: Env, view: View, options: Compaction, session: str, system: str | None = None,
    tools: Sequence[Json] | None = None,
) -> Settings:  # fmt: skip
    """Read the limits from options, then from the session's settings."""
    completed = options.with_settings(view.meta, session, env.note)
    with from_settings(session):
        return limits(completed, system, tools)._replace(must_calibrate=options.calibrated)


def limits_or_window(env: Env, view: View, session: str, wanted: Settings) -> Settings:
    """Return the limits; if there are none, 0.6 of the context window of the session's newest model.

    Raises Usage if that window is unknown.
    """
    if wanted.limiting:
        return require_limit(wanted)
    from ...tokens.prices import table

    newest = next((message for message in reversed(view.messages) if message.model), None)
    window = table().window(newest.model or "", newest.provider) if newest is not None else None
    if newest is None or not window:
        which = f"the window of {newest.model} is not known" if newest is not None else "no model is known"
        raise Usage(f"no limit given, and {which}; {NO_LIMIT}")
    budget = int(window * WINDOW)
    env.note(f"{session}: no limit given: {budget:,} tokens, {WINDOW} of the window of {newest.model}")
    return wanted._replace(budget=budget)


def require_limit(wanted: Settings) -> Settings:
    """Return the limits; raises Usage if there are none."""
    if not wanted.limiting:
        raise Usage(f"no limit given; {NO_LIMIT}")
    if wanted.calibrated and wanted.must_calibrate and not wanted.budget:
        raise Usage("--calibrated requires --budget N")
    return wanted


def compacted(env: Env, view: View, limits: Settings) -> View:
    """Return the view compacted to its limits, or the same view if it fits. Raises BudgetUnreachable."""
    return apply(view, plan(env, view, require_limit(limits)).ops) if limits.limiting else view


def explanation(env: Env, session: str, before: View, after: View, limits: Settings) -> Json:
    """Explain where the budget went, as `explained` does, by the counter of the limits."""
    from .explain import explained

    default = (0, counter_for(env, before, limits.counter, limits.model))
    budget, counter = next(_budgets(env, before, limits), default)
    settings = _with_request(limits, before)
    fields = explained(before, after, counter, settings.system, settings.tools)
    return {"session": session, "budget": budget or None, **fields}


def plan(env: Env, view: View, limits: Settings, *, in_place: bool = False, exact: bool = False) -> Plan:
    """Return the plan that meets all limits: messages first, then tokens, then characters.

    `in_place` adds hysteresis; `exact` counts totals even if nothing has to be done.
    """
    plans: list[Plan] = []
    if limits.items:
        plans.append(items(view, limits.items, limits.keep_last))
    if limits.keep_last and not (limits.budget or limits.characters):
        plans.append(last(_after(view, plans), limits.keep_last))
    limits = _with_request(limits, view)
    for budget, counter in _budgets(env, view, limits):
        settings = limits._replace(budget=budget, hysteresis=in_place, exact=exact)
        if isinstance(counter, Characters):
            policy = "tiered" if settings.policy == "loop" else settings.policy
            settings = settings._replace(policy=policy, hysteresis=False)
        compaction = compact.compact(_after(view, plans), settings, counter)
        if plans and compaction.before is not None:  # of the whole session, not after the earlier plans
            compaction = compaction._replace(
                before=counter.scale(History(rendered(view), counter, settings).total)
            )
        plans.append(compaction)
    return reduce(Plan.then, plans)


def _after(view: View, plans: Sequence[Plan]) -> View:
    """The view after these plans."""
    return reduce(lambda view, plan: apply(view, plan.ops), plans, view)


def items(view: View, most: int, keep_last: int = 0) -> Plan:
    """Drop whole oldest exchanges, then whole units, until at most `most` messages are left."""
    gone, why = limit_messages(view.messages, most, keep_last), f"more than {most} messages"
    return Plan(f"max-items {most}", steps=[Step(drop(gone, why), "max-items", why)] if gone else [])


def last(view: View, count: int) -> Plan:
    """Keep only the newest exchanges, and pinned messages with their units."""
    messages = view.sent
    older = [messages[number].id for group in Layout(messages, count).groups for number in group]
    why = f"older than the last {count} exchanges"
    return Plan(f"keep-last {count}", steps=[Step(drop(older, why), "keep-last", why)] if older else [])


def _budgets(env: Env, view: View, limits: Settings) -> Iterator[tuple[int, Counter]]:
    if limits.budget:
        yield limits.budget, counter_for(
            env, view, limits.counter, limits.model,
            calibrated=limits.calibrated, must_calibrate=limits.must_calibrate,
        )  # fmt: skip
    if limits.characters:
        yield limits.characters, Characters()


def _with_request(limits: Settings, view: View) -> Settings:
    """Complete limits by the session's system prompt and tools."""
    system, tools = system_and_tools(view.meta)
    return limits._replace(
        system=system if limits.system is None else limits.system,
        tools=tools if limits.tools is None else limits.tools,
    )


def by_command(env: Env, session: str, view: View, plan: Plan, limits: Settings, options: Compact) -> Plan:
    """Have the `--via` command write the summary of a plan; if it fails, note that and return the plan.

    With `--strict` the failure is raised.
    """
    from ...summaries.command import Commands
    from .outline import with_command_summary

    if not limits.budget:
        raise Usage("--via requires --budget N")
    counter = next(_budgets(env, view, limits))[1]
    settings = _with_request(limits, view)._replace(hysteresis=options.in_place)
    commands = Commands(options.via or "", SECONDS)
    try:
        return with_command_summary(view, plan, counter, settings, commands)
    except SummarizerFailed as error:
        if options.strict:
            raise SummarizerFailed(f"{session}: {error}; nothing changed") from None
        env.note(f"{session}: {error}; the built-in summary is used instead")
        return plan
    finally:
        commands.stop()
