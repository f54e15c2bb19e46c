"""Limits from flags and settings, the counter to measure them by, and the plan that meets them."""

from __future__ import annotations

from ...base.env import Env
from ...base.errors import Usage
from ...base.shared_options import Compaction, from_settings, system_and_tools
from ...session.ops import apply, drop
from ...session.sources import rendered
from ...session.view import View
from ...tokens.counter import Characters, Counter, open_counter
from ..costs import counter_for
from . import Plan, Settings, compact
from .draft import History
from .plan import Step
from .units import limit_messages

WINDOW = 0.6  # of the model's context window, if no limit is given
NO_LIMIT = "pass --budget N (32k), --max-chars, --max-items or --keep-last"


def limits(options: Compaction) -> Settings:
    """Read the limits from options; raises Usage if one is invalid or they contradict each other."""
    if options.counter is not None:
        open_counter(options.counter)
    uploads = 0.6 if options.upload_share is None else options.upload_share
    history = min(0.2, 1 - uploads) if options.history_share is None else options.history_share
    if uploads + history > 1 + 1e-9:
        raise Usage("--upload-share and --history-share together are more than the budget")
    shares = options.specified("upload_share", "history_share")
    return Settings(
        budget=options.budget or 0, characters=options.max_chars or 0,
        items=options.max_items or 0, keep_last=options.keep_last or 0,
        policy=options.policy or ("loop" if shares else "tiered"), upload_share=uploads,
        history_share=history, capped=options.upload_share is not None,
        counter=options.counter, calibrated=options.calibrated,
    )  # fmt: skip


def effective_limits(env: Env, view: View, options: Compaction, session: str) -> Settings:
    """Read the limits from options, then from the session's settings, and its system prompt and tools."""
    completed = options.with_settings(view.meta, session, env.note)
    with from_settings(session):
        wanted = limits(completed)
    system, tools = system_and_tools(view.meta)
    return wanted._replace(must_calibrate=options.calibrated, system=system, tools=tools)


def limits_or_window(env: Env, view: View, session: str, wanted: Settings) -> Settings:
    """Return the limits; without any, 0.6 of the window of the newest model, or raise Usage."""
    if wanted.limiting:
        return wanted
    from ...tokens.prices import table

    models = ((message.model, message.provider) for message in reversed(view.messages) if message.model)
    model, provider = next(models, (None, None))
    window = table().window(model, provider) if model is not None else None
    if not window:
        which = f"the window of {model} is not known" if model is not None else "no model is known"
        raise Usage(f"no limit given, and {which}; {NO_LIMIT}")
    budget = int(window * WINDOW)
    env.note(f"{session}: no limit given: {budget:,} tokens, {WINDOW} of the window of {model}")
    return wanted._replace(budget=budget)


def counter_of(env: Env, view: View, limits: Settings) -> Counter:
    """Return the counter of the budget; of characters if only these are limited."""
    if limits.characters and not limits.budget:
        return Characters()
    return counter_for(
        env, view, limits.counter, limits.model,
        calibrated=limits.calibrated, must_calibrate=limits.must_calibrate,
    )  # fmt: skip


def explain(env: Env, session: str, before: View, after: View, limits: Settings, *, json: bool) -> None:
    """Report on stderr where the budget went."""
    from ...render import changes
    from .explain import explained

    fields = {"session": session, "budget": limits.budget or limits.characters or None}
    fields |= explained(before, after, counter_of(env, before, limits), limits.system, limits.tools)
    changes.explain(env, fields, json=json)


def plan(env: Env, view: View, limits: Settings) -> Plan:
    """Return the plan that meets all limits: messages first, then tokens, then characters.

    Raises Usage if there is no limit, BudgetUnreachable if one cannot be met.
    """
    if not limits.limiting:
        raise Usage(f"no limit given; {NO_LIMIT}")
    if limits.calibrated and limits.must_calibrate and not limits.budget:
        raise Usage("--calibrated requires --budget N")
    plan, most, newest = Plan(limits.policy), limits.items, limits.keep_last
    if most:
        older = limit_messages(view.messages, most, newest)
        plan = _dropping("max-items", most, older, f"more than {most} messages")
    if newest and not (limits.budget or limits.characters):
        older = limit_messages(apply(view, plan.ops).sent, 0, newest)
        plan = plan.then(_dropping("keep-last", newest, older, f"older than the last {newest} exchanges"))
    if limits.budget:
        plan = _reduced(view, plan, limits, counter_of(env, view, limits))
    if limits.characters:
        characters = limits._replace(budget=limits.characters, policy="tiered", hysteresis=False)
        plan = _reduced(view, plan, characters, Characters())
    return plan


def _dropping(stage: str, count: int, ids: list[str], why: str) -> Plan:
    return Plan(f"{stage} {count}", steps=[Step(drop(ids, why), stage, why)] if ids else [])


def _reduced(view: View, plan: Plan, settings: Settings, counter: Counter) -> Plan:
    """Compact the result of a plan further; `before` is the size of the view without either."""
    now = apply(view, plan.ops)
    more = compact(now, settings, counter)
    if now is not view and more.before is not None:
        more = more._replace(before=counter.scale(History(rendered(view), counter, settings).total))
    return plan.then(more)
