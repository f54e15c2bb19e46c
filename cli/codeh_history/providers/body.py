"""What a request body says that is read: its problems, or the messages in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ..session.model import Json

_T = TypeVar("_T")


@dataclass(frozen=True)
class Problem:
    """One thing that a provider would refuse: where in the body (`messages.6.content.0`), and why."""

    path: str
    reason: str


def element(path: str) -> int:
    """The element of the body's array that a path leads into; -1 where it leads into none."""
    number = path.split(".")[1:2]
    return int(number[0]) if number and number[0].isdecimal() else -1


def in_body_order(problems: Iterable[Problem], body: Json) -> list[Problem]:
    """The problems sorted by the key of the body, and the element of its array, that they are about."""
    places = {key: number for number, key in enumerate(body)}
    return sorted(problems, key=lambda p: (places.get(p.path.partition(".")[0], -1), element(p.path)))


class Judge:
    """Goes through a body and says what is wrong with it."""

    def __init__(self, body: Json) -> None:
        self.body = body
        self.found: list[Problem] = []

    def say(self, path: str, reason: str) -> None:
        self.found.append(Problem(path, reason))

    def expect(self, held: object, path: str, reason: str) -> bool:
        """Say this where something does not hold; whether it does."""
        if not held:
            self.say(path, reason)
        return bool(held)


class Joined:
    """Neighbouring messages of one role, which some APIs join: what they hold, each with its path."""

    def __init__(self, role: str, path: str) -> None:
        self.role = role
        self.path = path
        self.held: list[tuple[str, Json]] = []


def with_neighbours(turns: Sequence[_T]) -> Iterator[tuple[_T | None, _T, _T | None]]:
    """Each of these between the one before it and the one after it."""
    return zip([None, *turns], turns, [*turns[1:], None], strict=False)


@dataclass(frozen=True)
class Imported:
    """A request body read back: messages (records without ids), system prompt, tools and settings."""

    messages: list[Json]
    system: str | None = None
    tools: list[Json] = field(default_factory=list)
    model: str | None = None
    settings: Json = field(default_factory=dict)
