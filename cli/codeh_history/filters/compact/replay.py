"""The cost of a session's requests with a provider's cache, if the session is compacted as it grows.

A provider serves the unchanged beginning of a request from its cache at about a tenth of the price, so a
context that only grows is cheap, and each compaction pays once for what it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import takewhile

from ...base.errors import BudgetUnreachable
from ...base.shared_options import system_and_tools
from ...session.model import Json, Message, Summary
from ...session.ops import apply
from ...session.sources import rendered
from ...session.view import View
from ...tokens.counter import Counter
from ...tokens.formula import message_tokens
from ..costs import request_tokens
from . import compact
from .plan import HIGH, Settings

CACHED = 0.1  # price of a cached token; a new one costs 1


def cache_bill(counter: Counter, view: View, budget: int, progress: Callable[[int, int], object]) -> Json:
    """Return `policy, budget, requests, input, cached, cost, compactions`, and `relative`.

    Each model message answers a request with everything before it, and the view's summaries. The session is
    compacted as by `-i` before a request above 0.85 of the budget; `relative` to the cost without that.
    `progress` is called with the messages replayed, and their total.
    """
    system, tools = system_and_tools(view.meta)
    settings = Settings(budget=budget, system=system, tools=tools, hysteresis=True)
    shown = rendered(view)
    costs = message_tokens(counter, shown.messages)
    now = shown.with_messages([])
    size = partial(request_tokens, counter, system=system, tools=tools)
    total = whole = size(now)  # whole: without compaction
    requests: list[int] = []  # the sizes that they would have without compaction
    input = cached = compactions = prefix = 0  # prefix: shared with the last request
    answering = False
    for number, (message, tokens) in enumerate(zip(shown.messages, costs, strict=True)):
        if not message.is_sent:
            continue
        if message.role == "model" and not answering:
            progress(number, len(costs))
            smaller = now
            if total > budget * HIGH:
                with suppress(BudgetUnreachable):
                    smaller = apply(now, compact(now, settings, counter).ops)
            if smaller is not now:
                prefix = min(prefix, size(_beginning(now, smaller)))
                now, total = smaller, size(smaller)
                compactions += 1
            requests.append(whole)
            input, cached, prefix = input + total, cached + prefix, total
        now.messages.append(message)
        total, whole, answering = total + tokens, whole + tokens, message.role == "model"
    cost = input - cached * (1 - CACHED)
    whole_cost = sum(requests) - sum(requests[:-1]) * (1 - CACHED)
    return {
        "policy": settings.policy, "budget": budget, "requests": len(requests), "input": input,
        "cached": cached, "cost": round(cost), "compactions": compactions,
        "relative": round(cost / whole_cost, 4) if whole_cost else 1.0,
    }  # fmt: skip


def _beginning(view: View, other: View) -> View:
    """What both views begin with."""
    pairs = zip([*view.summaries, *view.messages], [*other.summaries, *other.messages], strict=False)
    same = [item for item, _ in takewhile(lambda pair: pair[0] is pair[1], pairs)]
    messages = [item for item in same if isinstance(item, Message)]
    return view.with_messages(messages, [item for item in same if isinstance(item, Summary)])
