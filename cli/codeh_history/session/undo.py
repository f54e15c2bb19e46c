"""What `undo` takes back."""

from __future__ import annotations

from .exchanges import is_prompt
from .fold import Step, View


def newest(view: View) -> Step | None:
    """Return the newest live message (except error and info), update, summary, compaction or clear."""
    for step in reversed(view.steps):
        if step.type != "message" or (step.message is not None and step.message.role is not None):
            return step
    return None


def last_turn(view: View) -> list[Step]:
    """Return everything from the newest real user message on, newest first; empty if there is none."""
    prompt = next((m for m in reversed(view.messages) if is_prompt(m)), None)
    if prompt is None:
        return []
    return [step for step in reversed(view.steps) if step.place >= prompt.place]


def reverts(view: View) -> list[str]:
    """Return the ids of the live reverts, which can be undone too."""
    live = (record.data for place, record in enumerate(view.log.records) if place not in view.dead)
    return list(dict.fromkeys(data["id"] for data in live if data["type"] == "revert"))
