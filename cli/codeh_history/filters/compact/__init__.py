"""Compaction: a plan of reversible ops that makes a view fit a budget.

The result fits the budget by the named counter, or BudgetUnreachable says why it cannot. Every message is
kept, replaced, summarised or dropped, and exactly one of these. The last prompt and pinned messages with
their units stay verbatim. The same input gives the same plan; compacting twice changes nothing.
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
    """Return the plan that makes a view fit; raises BudgetUnreachable with the floor and the largest
    units.
    """
    return POLICIES[settings.policy](view, settings, counter)
