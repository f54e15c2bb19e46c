"""Limit the number of messages by dropping whole exchanges, then whole units, oldest first."""

from __future__ import annotations

from ...session.exchanges import exchanges
from ...session.fold import View
from ...session.model import Message
from ...session.ops import Op, drop
from ...session.pairing import pair


def ops(view: View, limit: int) -> list[Op]:
    """Drop whole exchanges, oldest first, until at most `limit` messages are left.

    Exchanges with a pinned message stay. If only the newest exchange is left, its oldest units (a model
    message with its calls and their responses) are dropped, but never its prompt.
    """
    *older, newest = exchanges(view.messages) or [[]]
    dropped: list[str] = []
    for group in (*older, *units(newest)[:-1]):
        if len(view.messages) - len(dropped) <= limit:
            break
        if not any(message.pinned for message in group):
            dropped += (message.id for message in group)
    return [drop(dropped, f"more than {limit} messages")] if dropped else []


def units(messages: list[Message]) -> list[list[Message]]:
    """Return the units of an exchange: model messages, each with the messages that answer its calls."""
    calls = pair(messages).calls
    owner = {call.answer.message.id: call.message.id for call in calls if call.answer is not None}
    groups: dict[str, list[Message]] = {}
    for message in messages:
        if message.role == "model":
            groups[message.id] = [message]
        elif message.id in owner:
            groups[owner[message.id]].append(message)
    return list(groups.values())
