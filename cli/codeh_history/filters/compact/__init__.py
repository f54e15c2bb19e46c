"""Compaction: a plan of reversible ops that makes a view fit a budget.

The result fits the budget by the named counter, or BudgetUnreachable is raised. Every message is exactly
one of kept, replaced, summarised and dropped. The last prompt and pinned messages with their units stay
verbatim. The same input gives the same plan; compacting twice changes nothing.
"""

from __future__ import annotations

from ...session.model import CONTINUATION
from ...session.sources import rendered
from ...session.view import View
from ...tokens.counter import Counter
from ...tokens.formula import ByteBound, history_tokens
from .plan import HIGH, LOW, Plan, Settings, Step, read

__all__ = ["HIGH", "LOW", "POLICIES", "Plan", "Settings", "Step", "compact", "read"]

POLICIES = ("tiered", "loop")
CHEAP = 100_000  # bytes of a log that is cheap to count


def compact(view: View, settings: Settings, counter: Counter) -> Plan:
    """Return the plan that makes a view fit; raise BudgetUnreachable with the floor and largest units."""
    view = rendered(view)
    if not settings.capped and _fits_by_bytes(view, settings, counter):
        return Plan(settings.policy, counter.name, settings.budget)
    if settings.policy == "loop":
        from .loop import loop

        return loop(view, settings, counter)
    from .tiered import tiered

    return tiered(view, settings, counter)


def _fits_by_bytes(view: View, settings: Settings, counter: Counter) -> bool:
    """Whether the byte count alone proves that nothing has to be done."""
    start = settings.budget * (HIGH if settings.hysteresis else 1)
    if settings.exact or view.log.size > start * 2 + CHEAP:
        return False
    texts = [summary.text for summary in view.summaries]
    bound = ByteBound(counter)
    most = history_tokens(
        bound, view.messages, system=settings.system, tools=settings.tools, summaries=texts
    )
    return most + counter.message + len(CONTINUATION) <= start  # which may begin a request
