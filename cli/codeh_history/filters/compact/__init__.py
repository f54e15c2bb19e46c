"""Compaction: a view made to fit a budget, as a plan of reversible ops.

Guarantees: the result fits the budget by the named counter, or BudgetUnreachable says why not; every
message is exactly one of kept, replaced, summarised, dropped; the last real user message and pins with
their units stay verbatim; the same input gives the same plan, and a second pass does nothing.
"""

from __future__ import annotations

from ...session.view import View
from ...tokens import Counter
from .loop import loop
from .plan import HIGH, LOW, Plan, Settings, Step, read
from .tiered import tiered

__all__ = ["HIGH", "LOW", "POLICIES", "Plan", "Settings", "Step", "compact", "read"]

POLICIES = {"tiered": tiered, "loop": loop}


def compact(view: View, settings: Settings, counter: Counter) -> Plan:
    """The plan that makes a view fit; raises BudgetUnreachable, naming the floor and the largest units."""
    return POLICIES[settings.policy](view, settings, counter)
