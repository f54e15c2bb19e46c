"""Finding out offline what a provider would refuse about a request body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..session.model import Json
from .parts import listed

_T = TypeVar("_T")


@dataclass(frozen=True)
class Problem:
    """One thing that a provider would refuse: where in the body (`messages.6.content.0`), and why."""

    path: str
    reason: str


class Validator:
    """Goes through a body and collects its problems."""

    def __init__(self, body: Json) -> None:
        self.body = body
        self.problems: list[Problem] = []

    def report(self, path: str, reason: str) -> None:
        self.problems.append(Problem(path, reason))

    def require(self, held: object, path: str, reason: str) -> bool:
        """Report where something does not hold; whether it does."""
        if not held:
            self.report(path, reason)
        return bool(held)

    def in_order(self) -> list[Problem]:
        """The problems sorted by the key of the body, and the element of its array, that they are about."""
        places = {key: number for number, key in enumerate(self.body)}
        self.problems.sort(key=lambda p: (places.get(p.path.partition(".")[0], -1), element(p.path)))
        return self.problems


def element(path: str) -> int:
    """The element of the body's array that a path leads into; -1 where it leads into none."""
    number = path.split(".")[1:2]
    return int(number[0]) if number and number[0].isdecimal() else -1


def each(values: object, path: str) -> Iterator[tuple[str, object]]:
    """The elements of a list, each with its path; nothing of anything else."""
    return ((f"{path}.{number}", value) for number, value in enumerate(listed(values)))


class Joined:
    """Neighbouring messages of one role, which some APIs join: what they hold, each with its path."""

    def __init__(self, role: str, path: str) -> None:
        self.role = role
        self.path = path
        self.held: list[tuple[str, Json]] = []


def with_neighbours(turns: Sequence[_T]) -> Iterator[tuple[_T | None, _T, _T | None]]:
    """Each of these between the one before it and the one after it."""
    return zip([None, *turns], turns, [*turns[1:], None], strict=False)
