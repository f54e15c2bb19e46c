"""Exchanges: which messages are a real user's, and what belongs to each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .model import Message, Part
from .view import text_of, uses_tools

IDE_MARKERS = ("# IDE Context", "# Open Files", "# Directory Structure")
SYSTEM_PREFIX = "System:"
NOT_USERS = (  # how Claude Code begins what it gives its model in a user's turn that no user wrote
    "[SYSTEM NOTIFICATION - NOT USER INPUT]",
    "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]",
    "The coordinator sent a message while you were working:",
    "Another Claude session sent a message while you were working:",
    "A message arrived from ",
    "<task-notification>",
)
_NO_PROMPTS = (SYSTEM_PREFIX, *NOT_USERS)
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")


def is_ide_context(message: Message, markers: Sequence[str] = IDE_MARKERS) -> bool:
    """Role user, and its text contains a marker of an editor's context; never a message with tool parts."""
    if message.role != "user":
        return False
    text = text_of(message)
    if markers is IDE_MARKERS and "#" not in text:  # most texts, at a glance
        return False
    return any(marker in text for marker in markers) and not uses_tools(message)


def is_system(message: Message) -> bool:
    """A `System:` text of either role; never a message with tool parts, whose unit would break."""
    return text_of(message).startswith(SYSTEM_PREFIX) and not uses_tools(message)


def is_thought(part: Part) -> bool:
    """A thought, in our own form or as a provider's native part."""
    if part.get("thought"):
        return True
    value = part["native"].get("value") if "native" in part else None
    return isinstance(value, dict) and value.get("type") in _THOUGHTS


def asks(text: str) -> bool:
    """Whether a user's text is a prompt, so far as is seen at a glance: most are."""
    return "#" not in text and not text.startswith(_NO_PROMPTS)


def is_prompt(message: Message) -> bool:
    """A real user message: no function response, IDE context, notification or `System:` text."""
    if message.role != "user" or message.kind == "tool":
        return False
    parts = message.parts
    if len(parts) == 1 and len(parts[0]) == 1 and "text" in parts[0] and asks(parts[0]["text"]):
        return True
    if any("functionResponse" in part for part in parts):
        return False
    if is_ide_context(message) or text_of(message).startswith(NOT_USERS):
        return False
    return message.pinned or not is_system(message)


def exchanges(messages: Sequence[Message]) -> list[list[Message]]:
    """The messages grouped by exchange: a real user message up to the next one.

    IDE context directly before a real user message belongs to it; what stands before the first real
    one belongs to the first.
    """
    return [[messages[number] for number in group] for group in exchange_places(messages)[0]]


def exchange_places(messages: Iterable[Message]) -> tuple[list[list[int]], list[int]]:
    """The places of the messages of each exchange, and those of the real user messages."""
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
    if before:  # at the very end it goes with the last exchange
        groups = [*groups[:-1], [*(groups or [[]])[-1], *before]]
    return groups, prompts


def tools_named(message: Message) -> list[str] | None:
    """The tools that an imported entry says it used; None for any other message."""
    given = message.fields.get("toolsUsed")
    return [str(name) for name in given] if isinstance(given, list) else None


def prompts(messages: Sequence[Message]) -> int:
    """How many real user messages there are: the number of exchanges."""
    return sum(1 for message in messages if is_prompt(message))
