"""A limit on how many messages a session shows: whole oldest exchanges go, then whole oldest units."""

from __future__ import annotations

from collections.abc import Iterator

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
    for together in _by_age(view.messages):
        if over <= len(gone):
            break
        if not any(message.pinned for message in together):
            gone += (message.id for message in together)
    return [drop(gone, f"more than {most} messages")] if gone else []


def _by_age(messages: list[Message]) -> Iterator[list[Message]]:
    """What may go together, oldest first: older exchanges, then the older units of the newest."""
    *older, newest = exchanges(messages) or [[]]
    yield from older
    yield from units(newest)[:-1]


def units(messages: list[Message]) -> list[list[Message]]:
    """The model messages of an exchange, each with the messages that answer its calls."""
    calls = pair(messages).calls
    owner = {call.answer.message.id: call.message.id for call in calls if call.answer is not None}
    found: dict[str, list[Message]] = {}
    for message in messages:
        if message.role == "model":
            found[message.id] = [message]
        elif message.id in owner:
            found[owner[message.id]].append(message)
    return list(found.values())
