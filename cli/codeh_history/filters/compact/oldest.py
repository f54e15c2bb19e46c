"""What is due to be summarised by tokens: the oldest units of a session that is too large."""

from __future__ import annotations

from ...session.exchanges import prompts
from ...session.view import View
from ...summaries.window import Batch, earliest, latest
from ...tokens import Counter, history_tokens, message_tokens
from ...tokens.formula import sent
from .plan import LOW
from .units import Layout


def due_over(view: View, most: int, counter: Counter) -> Batch | None:
    """The oldest units of a view of more than `most` tokens, until 0.60 of that are left; None: not due.

    Whole exchanges first, then units inside the newest one; never its prompt, the last unit, pins or
    pending messages.
    """
    left = size(view, counter)
    if left <= most:
        return None
    messages = [message for message in view.messages if sent(message)]
    costs = message_tokens(counter, messages)
    layout = Layout(messages, 0)
    going: set[int] = set()
    for group in layout.groups:
        if left <= most * LOW:
            break
        if not any(messages[number].pending is not None for number in group):
            going.update(group)
            left -= sum(costs[number] for number in group)
    covered = [messages[number] for number in sorted(going)]
    if not covered:
        return None
    times = [message.ts for message in covered]
    return Batch(covered, max(1, prompts(covered)), earliest(times), latest(times), inside=True)


def size(view: View, counter: Counter) -> int:
    """The tokens of what would be sent, without system prompt and tools."""
    return history_tokens(counter, view.messages, summaries=[summary.text for summary in view.summaries])
