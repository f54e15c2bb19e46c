"""Exchanges: recognise the messages of a real user, and group the others with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .model import Message, Part
from .view import text_of, uses_tools

IDE_MARKERS = ("# IDE Context", "# Open Files", "# Directory Structure")
SYSTEM_PREFIX = "System:"
NOT_USERS = (  # beginnings of user messages that a program wrote
    "[SYSTEM NOTIFICATION - NOT USER INPUT]",
    "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]",
    "The coordinator sent a message while you were working:",
    "Another Claude session sent a message while you were working:",
    "A message arrived from ",
    "<task-notification>",
    "<system_notification>",
    "[Request interrupted by user",
    "# AGENTS.md instructions for ",
    "<environment_context>",
)
_NO_PROMPTS = (SYSTEM_PREFIX, *NOT_USERS)
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")


def is_ide_context(message: Message, markers: Sequence[str] = IDE_MARKERS) -> bool:
    """Return whether it is a user message with an editor's context, without calls or results."""
    if message.role != "user":
        return False
    text = text_of(message)
    if markers is IDE_MARKERS and "#" not in text:  # skips most texts quickly
        return False
    return any(marker in text for marker in markers) and not uses_tools(message)


def is_system(message: Message) -> bool:
    """Return whether it is a `System:` text of either role, without calls or results."""
    return text_of(message).startswith(SYSTEM_PREFIX) and not uses_tools(message)


def is_thought(part: Part) -> bool:
    """Return whether a part is a thought, in our form or a provider's."""
    if part.get("thought"):
        return True
    value = part["native"].get("value") if "native" in part else None
    return isinstance(value, dict) and value.get("type") in _THOUGHTS


def is_prompt(message: Message) -> bool:
    """Return whether a real user wrote it: no result, IDE context, notification or `System:` text."""
    if message.role != "user" or message.kind == "tool":
        return False
    parts = message.parts
    if len(parts) == 1 and len(parts[0]) == 1 and "text" in parts[0]:  # most prompts
        text = parts[0]["text"]
        if "#" not in text and not text.startswith(_NO_PROMPTS):
            return True
    if any("functionResponse" in part for part in parts):
        return False
    if is_ide_context(message) or text_of(message).startswith(NOT_USERS):
        return False
    return message.pinned or not is_system(message)


def exchanges(messages: Sequence[Message]) -> list[list[Message]]:
    """Group messages by exchange: a real user message up to the next one.

    IDE context directly before a real user message belongs to it, and all messages before the first one
    belong to the first exchange.
    """
    return [[messages[number] for number in group] for group in exchange_places(messages)[0]]


def exchange_places(messages: Iterable[Message]) -> tuple[list[list[int]], list[int]]:
    """Return the indexes of the messages of each exchange, and of the real user messages."""
    groups: list[list[int]] = []
    prompts: list[int] = []
    before: list[int] = []  # IDE context that may belong to the next prompt
    for place, message in enumerate(messages):
        prompt = is_prompt(message)
        if not prompt and is_ide_context(message):
            before.append(place)
            continue
        if not groups or (prompt and prompts):
            groups.append([])
        groups[-1] += [*before, place]
        before = []
        if prompt:
            prompts.append(place)
    if before:  # IDE context at the very end belongs to the last exchange
        groups = [*groups[:-1], [*(groups or [[]])[-1], *before]]
    return groups, prompts


def tools_named(message: Message) -> list[str] | None:
    """Return the tools that an imported history entry lists; None for any other message."""
    names = message.fields.get("toolsUsed")
    return [str(name) for name in names] if isinstance(names, list) else None


def prompts(messages: Sequence[Message]) -> int:
    """Return the number of real user messages."""
    return sum(1 for message in messages if is_prompt(message))
