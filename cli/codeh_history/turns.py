"""Exchanges: which messages are a real user's, and what belongs to each."""

from __future__ import annotations

from collections.abc import Sequence

from .model import Message
from .view import text_of

IDE_MARKERS = ("# IDE Context", "# Open Files", "# Directory Structure")
SYSTEM_PREFIX = "System:"

__all__ = [
    "IDE_MARKERS",
    "SYSTEM_PREFIX",
    "exchanges",
    "is_ide_context",
    "is_prompt",
    "is_system",
    "prompts",
    "text_of",
]


def is_ide_context(message: Message, markers: Sequence[str] = IDE_MARKERS) -> bool:
    """Role user, and its text contains a marker of an editor's context; never a message with tool parts."""
    if message.role != "user":
        return False
    text = text_of(message)
    for marker in markers:
        if marker in text:
            return not _has_tools(message)
    return False


def is_system(message: Message) -> bool:
    """A `System:` text of either role; never a message with tool parts, whose unit would break."""
    return text_of(message).startswith(SYSTEM_PREFIX) and not _has_tools(message)


def _has_tools(message: Message) -> bool:
    return any("functionCall" in part or "functionResponse" in part for part in message.parts)


def is_prompt(message: Message) -> bool:
    """A real user message: not a function response, IDE context or a `System:` text that curate drops."""
    if message.role != "user" or message.kind == "tool":
        return False
    if any("functionResponse" in part for part in message.parts):
        return False
    return not is_ide_context(message) and (message.pinned or not is_system(message))


def exchanges(messages: Sequence[Message]) -> list[list[Message]]:
    """The messages grouped by exchange: a real user message up to the next one.

    IDE context directly before a real user message belongs to it; what stands before the first real
    one belongs to the first.
    """
    groups: list[list[Message]] = []
    before: list[Message] = []  # IDE context that may belong to the next prompt
    started = False
    for message in messages:
        if is_prompt(message):
            if not started and groups:
                groups[0] += [*before, message]
            else:
                groups.append([*before, message])
            before, started = [], True
        elif is_ide_context(message):
            before.append(message)
        else:
            if not groups:
                groups.append([])
            groups[-1] += [*before, message]
            before = []
    if before:
        if not groups:
            groups.append([])
        groups[-1] += before
    return groups


def prompts(messages: Sequence[Message]) -> int:
    """How many real user messages there are: the number of exchanges."""
    return sum(1 for message in messages if is_prompt(message))
