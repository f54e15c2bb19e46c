"""What stands for a source that is too large to be read whole: what `compact` would write of it."""

from __future__ import annotations

from collections.abc import Sequence

from ...session.model import Json, Message, Summary
from ...session.records import Log
from ...session.view import View
from ...tokens import Counter, message_tokens
from .draft import Draft, History
from .plan import Settings
from .removal import Extract


def extract(
    messages: Sequence[Message], room: int, counter: Counter, summaries: Sequence[Summary] = ()
) -> Json:
    """`summary` and `lines` of messages and earlier summaries, in at most so many tokens, unscaled."""
    view = View(Log([], [], 0, set()))
    view.messages, view.summaries = list(messages), list(summaries)
    draft = Draft(History(view, counter, Settings(budget=room)))
    draft.doomed = set(range(len(draft.history.messages)))
    absorb = bool(summaries)
    draft.target = room + draft.summary_total("", draft.doomed, absorb=absorb)
    return Extract(draft, absorb=absorb).written()[0] or {"summary": "", "lines": []}


def extracted(
    counter: Counter, messages: Sequence[Message], most: int, room: int
) -> tuple[str, int] | None:
    """The text for messages of more than `most` tokens, and how many they are; None for fewer."""
    size = sum(message_tokens(counter, messages))
    return (extract(messages, room, counter)["summary"], size) if size > most else None
