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

__all__ = [
    "IDE_MARKERS",
    "NOT_USERS",
    "SYSTEM_PREFIX",
    "asks",
    "exchange_places",
    "exchanges",
    "is_ide_context",
    "is_prompt",
    "is_system",
    "is_thought",
    "prompts",
    "text_of",
    "tools_named",
]


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


def exchange_places(messages: Sequence[Message]) -> tuple[list[list[int]], list[int]]:
    """The places of the messages of each exchange, and those of the real user messages."""
    found = Exchanges()
    found.extend(messages)
    return found.groups, found.asked


class Exchanges:
    """The exchanges of the first `seen` messages, by their places; `asked` are those of real users."""

    __slots__ = ("_before", "_groups", "asked", "seen")

    def __init__(self) -> None:
        self.seen = 0
        self.asked: list[int] = []
        self._groups: list[list[int]] = []
        self._before: list[int] = []  # IDE context that may belong to the next prompt

    def extend(self, messages: Iterable[Message]) -> None:
        """Take in the messages that follow."""
        groups, number = self._groups, self.seen - 1
        for number, message in enumerate(messages, self.seen):
            prompt = is_prompt(message)
            if not prompt and is_ide_context(message):
                self._before.append(number)
                continue
            if not groups or (prompt and self.asked):
                groups.append([])
            groups[-1] += [*self._before, number] if self._before else (number,)
            self._before = []
            if prompt:
                self.asked.append(number)
        self.seen = number + 1

    @property
    def groups(self) -> list[list[int]]:
        """The places of each exchange's messages; IDE context at the very end goes with the last."""
        if not self._before:
            return self._groups
        return [*self._groups[:-1], [*(self._groups or [[]])[-1], *self._before]]


def tools_named(message: Message) -> list[str] | None:
    """The tools that an imported entry says it used; None for any other message."""
    given = message.fields.get("toolsUsed")
    return [str(name) for name in given] if isinstance(given, list) else None


def prompts(messages: Sequence[Message]) -> int:
    """How many real user messages there are: the number of exchanges."""
    return sum(1 for message in messages if is_prompt(message))
