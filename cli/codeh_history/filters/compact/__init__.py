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
from ...tokens.formula import ByteBound
from ..costs import request_tokens
from .plan import HIGH, LOW, Plan, Settings, Step, read

__all__ = ["HIGH", "LOW", "Plan", "Settings", "Step", "compact", "read"]


def compact(view: View, settings: Settings, counter: Counter) -> Plan:
    """Return the plan that makes a view fit; raise BudgetUnreachable with the floor and largest units."""
    view = rendered(view)
    if not (settings.capped or settings.exact):
        most = request_tokens(ByteBound(counter), view, settings.system, settings.tools)
        most += counter.message + len(CONTINUATION)  # which may begin a request
        if most <= settings.budget * (HIGH if settings.hysteresis else 1):  # the byte count proves it
            return Plan(settings.policy, counter.name, settings.budget)
    if settings.policy == "loop":
        from .loop import loop

        return loop(view, settings, counter)
    from .tiered import tiered

    return tiered(view, settings, counter)
