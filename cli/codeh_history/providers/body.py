"""What a request body says that is read: its problems, or the messages in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..session.model import Json


@dataclass(frozen=True)
class Problem:
    """One thing that a provider would refuse: where in the body (`messages.6.content.0`), and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Imported:
    """A request body read back: messages (records without ids), system prompt, tools and settings."""

    messages: list[Json]
    system: str | None = None
    tools: list[Json] = field(default_factory=list)
    model: str | None = None
    settings: Json = field(default_factory=dict)
