"""What stands for a source that is too large to be read whole: what `compact` would write of it."""

from __future__ import annotations

from collections.abc import Sequence

from ...session.model import Message
from ...session.records import Log
from ...session.view import View
from ...tokens import Counter
from .draft import Draft
from .history import History
from .plan import Settings
from .removal import Telling


def extract(messages: Sequence[Message], room: int, counter: Counter) -> str:
    """The ledger and the chosen sentences of these messages, in at most so many tokens, unscaled."""
    view = View(Log([], [], 0, set()))
    view.messages = list(messages)
    draft = Draft(History(view, counter, Settings(budget=room)))
    draft.doomed = set(range(len(draft.history.messages)))
    draft.target = room + draft.summary_total("", draft.doomed, absorb=False)
    return Telling(draft, absorb=False).fitting()[0]
