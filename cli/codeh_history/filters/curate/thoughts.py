"""`thoughts`: whether the model's thoughts are sent again."""

from __future__ import annotations

from ...session.exchanges import is_prompt, is_thought
from ...session.fold import View
from ...session.ops import Op, replace_shown
from .base import Settings


def run(view: View, settings: Settings) -> list[Op]:
    """keep: all; old: those before the last real user message go; all: every thought goes.

    Within a message all or none go: a provider refuses a turn whose thoughts were partly removed.
    """
    if settings.thoughts == "keep":
        return []
    end = len(view.messages)
    if settings.thoughts == "old":
        end = next((n for n in range(end - 1, -1, -1) if is_prompt(view.messages[n])), 0)
    return [
        replace_shown(message, number, None, f"thoughts: {settings.thoughts}")
        for message in view.messages[:end]
        if message.role == "model" and message.committed
        for number, part in enumerate(message.parts)
        if is_thought(part)
    ]
