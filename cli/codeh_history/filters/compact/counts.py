"""Limits on how many: messages (`--max-items`), and exchanges (`--keep-last` without a budget)."""

from __future__ import annotations

from ...session.ops import drop
from ...session.view import View
from ...tokens.formula import sent
from ..curate import limit
from .plan import Plan, Step
from .units import Layout


def items(view: View, most: int) -> Plan:
    """Whole oldest exchanges go, then whole units, until so many messages are left."""
    ops = limit.ops(view, most)
    return Plan(f"max-items {most}", steps=[Step(op, "max-items", str(op.get("why"))) for op in ops])


def last(view: View, count: int) -> Plan:
    """Only the newest exchanges stay, and pins with their units."""
    messages = [message for message in view.messages if sent(message)]
    layout = Layout(messages, count)
    why = f"older than the last {count} exchanges"
    gone = [messages[number].id for group in layout.groups for number in group]
    steps = [Step(drop(gone, why), "keep-last", why)] if gone else []
    return Plan(f"keep-last {count}", steps=steps)
