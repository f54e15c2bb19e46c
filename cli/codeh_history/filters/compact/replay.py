"""The cost of a session's requests with a provider's cache, under a compaction policy.

A provider serves the unchanged beginning of a request from its cache at about a tenth of the price, so a
context that only grows is cheap, and each compaction pays once for what it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

from ...base.errors import BudgetUnreachable
from ...base.shared_options import system_and_tools
from ...session.model import Json, Message
from ...session.ops import apply
from ...session.sources import rendered
from ...session.view import View
from ...tokens.counter import Counter
from ...tokens.formula import cost_beside_messages, message_tokens
from . import compact
from .plan import HIGH, Settings

CACHED = 0.1  # price of a cached token; a new one costs 1
Piece = tuple[object, int]  # identity of a piece of a request, and its tokens
Progress = Callable[[int, int], object]  # called with messages replayed, and their total


def replay(
    view: View, settings: Settings | None, counter: Counter, progress: Progress | None = None
) -> Json:
    """Return `requests, input, cached, cost, compactions`, and `relative`: without compaction, 1.

    Each model message answers a request with everything before it, and the view's summaries. With settings,
    the session is compacted as by `-i` before a request above 0.85 of the budget.
    """
    shown = rendered(view)
    now = shown.with_messages([])
    costs = message_tokens(counter, shown.messages)
    context = _context(now, settings or Settings(budget=0), counter)
    total = whole = _total(context)  # whole: without compaction
    requests = input = cached = compactions = prefix = 0  # prefix: shared with the last request
    everything, sent_before = 0.0, 0
    previous: Message | None = None
    for number, (message, cost) in enumerate(zip(shown.messages, costs, strict=True)):
        if not message.is_sent:
            continue
        if message.role == "model" and (previous is None or previous.role != "model"):
            if settings is not None and total > settings.budget * HIGH:
                if progress is not None:
                    progress(number, len(costs))
                smaller = _compacted(now, settings, counter)
                if smaller is not now:
                    now, before, context = smaller, context, _context(smaller, settings, counter)
                    prefix, total = min(prefix, _shared(before, context)), _total(context)
                    compactions += 1
            requests += 1
            input, cached, prefix = input + total, cached + prefix, total
            everything, sent_before = everything + _cost(whole, sent_before), whole
        now.messages.append(message)
        context.append((message, cost))
        total, whole, previous = total + cost, whole + cost, message
    spent = _cost(input, cached)
    return {
        "requests": requests, "input": input, "cached": cached, "cost": round(spent),
        "compactions": compactions, "relative": round(spent / everything, 4) if everything else 1.0,
    }  # fmt: skip


def _cost(tokens: int, cached: int) -> float:
    return tokens - cached * (1 - CACHED)


def _total(context: Sequence[Piece]) -> int:
    return sum(tokens for _, tokens in context)


def _shared(before: Sequence[Piece], now: Sequence[Piece]) -> int:
    """Tokens of the pieces that both contexts begin with."""
    pairs = zip(before, now, strict=False)
    return _total([new for _, new in takewhile(lambda pair: pair[0] == pair[1], pairs)])


def _compacted(view: View, settings: Settings, counter: Counter) -> View:
    """The view as `-i` would leave it; the same view if nothing can be compacted."""
    try:
        plan = compact(view, settings._replace(hysteresis=True), counter)
    except BudgetUnreachable:
        return view
    after = apply(view, plan.ops)
    return after.with_messages(list(after.messages)) if plan.ops else view


def _context(view: View, settings: Settings, counter: Counter) -> list[Piece]:
    """The pieces of a request: system prompt and tools, each summary, each message."""
    whole = counter.history + cost_beside_messages(counter, settings.system, settings.tools, ())
    context: list[Piece] = [("", counter.scale(whole))]
    texts = [summary.text for summary in view.summaries]
    before = 0
    for count, text in enumerate(texts, 1):
        cost = counter.scale(cost_beside_messages(counter, None, (), texts[:count]))
        context.append((text, cost - before))
        before = cost
    return [*context, *zip(view.messages, message_tokens(counter, view.messages), strict=True)]


def cache_bill(counter: Counter, view: View, budget: int, policy: str, progress: Progress | None) -> Json:
    """Return `policy, budget`, and the `replay` of the session compacted in place to this budget."""
    system, tools = system_and_tools(view.meta)
    settings = Settings(budget=budget, policy=policy, system=system, tools=tools)
    return {"policy": policy, "budget": budget, **replay(view, settings, counter, progress)}
