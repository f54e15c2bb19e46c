"""Replacing what a view shows: ops name a message's own parts, and count from these."""

from __future__ import annotations

from ...session.model import Message, Part
from ...session.ops import Op, replace
from ...session.records import block_of


def replace_shown(message: Message, shown: int, new: Part | None, why: str) -> Op:
    """The op that replaces the part at index `shown` of what the view shows, by its own part's index."""
    own = own_index(message, shown)
    block = message.blocks[own] if message.blocks is not None else block_of((message.own or [])[own])
    return replace(message.id, own, block, new, why)


def own_index(message: Message, shown: int) -> int:
    """Which own part the view shows at an index."""
    if not message.replaced:
        return shown
    count = -1
    for number in range(len(message.own or ())):
        if message.replaced.get(number, message) is not None:
            count += 1
        if count == shown:
            return number
    raise IndexError(shown)
