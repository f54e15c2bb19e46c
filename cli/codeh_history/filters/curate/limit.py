"""A limit on how many messages a session shows: whole oldest exchanges go, then whole oldest units."""

from __future__ import annotations

from ...session.exchanges import exchanges
from ...session.fold import View
from ...session.model import Message
from ...session.ops import Op, drop
from ...session.pairing import pair


def ops(view: View, most: int) -> list[Op]:
    """Drop whole exchanges, oldest first, until at most `most` messages are left.

    Never the newest exchange, nor one with a pinned message; when only the newest is left, its oldest
    units (a model message with its calls and their responses) go, but never its prompt.
    """
    over = len(view.messages) - most
    gone: list[str] = []
    groups = exchanges(view.messages)
    for group in groups[:-1]:
        if over <= len(gone):
            break
        if not any(message.pinned for message in group):
            gone += (message.id for message in group)
    if over > len(gone) and groups:
        for unit in units(groups[-1])[:-1]:
            if over <= len(gone):
                break
            if not any(message.pinned for message in unit):
                gone += (message.id for message in unit)
    return [drop(gone, f"more than {most} messages")] if gone else []


def units(messages: list[Message]) -> list[list[Message]]:
    """The model messages of an exchange, each with the messages that answer its calls."""
    owner: dict[str, str] = {}
    for call in pair(messages).calls:
        if call.answer is not None:
            owner[call.answer.message.id] = call.message.id
    found: dict[str, list[Message]] = {}
    for message in messages:
        if message.role == "model":
            found[message.id] = [message]
        elif message.id in owner:
            found[owner[message.id]].append(message)
    return list(found.values())
