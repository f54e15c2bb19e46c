"""What was worked out of the messages of a history, for the next one, as far as it begins with the same.

A session that grows is planned again and again. What depends on a message and on those before it alone is
worked out once: of a history that goes on the plan is the one of a history that was never seen.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from ...base.errors import HistoryError
from ...session.model import Message, Part
from ...session.view import View
from ...tokens import Counter, part_tokens
from ...tokens.formula import unscaled
from .lines import Memo
from .units import Joined

Place = tuple[int, int]  # a message's position, and which of its shown parts
T = TypeVar("T")

_OF_THE_LOG = ("place", "latest", "line")  # where it stands in the log, which changes no plan
_SAYS = tuple(name for name in Message.__slots__ if name not in _OF_THE_LOG)


class Mark:
    """What stands for a part, for a reason; `size` is what it costs, once it was counted."""

    __slots__ = ("part", "size", "why")

    def __init__(self, part: Part, why: str) -> None:
        self.part = part
        self.why = why
        self.size: int | None = None


class Past:
    """The messages that are sent, what each of their parts costs by a counter, and what was asked of them.

    `special` are the places of all parts but plain texts; `read` is how messages read, `marks`
    are what stood for parts last.
    """

    __slots__ = ("_each", "_joined", "costs", "marks", "messages", "read", "special", "tokens")

    def __init__(self, messages: Sequence[Message], counter: Counter, before: Past | None = None) -> None:
        """`before`: what was worked out of others by the same counter; it is used up."""
        known = 0 if before is None else _same(before.messages, messages)
        self.messages: list[Message] = list(messages)
        self.tokens: list[list[int]] = []
        self.costs: list[int] = []
        self.special: list[Place] = []
        self._each: dict[Callable[..., Any], list[Any]] = {}
        self._joined = Joined()
        self.read: Memo = {} if before is None else before.read
        self.marks: dict[Place, Mark] = {}
        if before is not None:
            self._take(before, known)
        self._go_on(counter, known)

    def _take(self, before: Past, known: int) -> None:
        """Begin with what is known of the first messages."""
        self.messages[:known] = before.messages[:known]
        self.tokens, self.costs = before.tokens[:known], before.costs[:known]
        self.special = before.special[: bisect_left(before.special, (known, 0))]
        self._each = {of: found[:known] for of, found in before._each.items()}
        self.marks = {place: mark for place, mark in before.marks.items() if place[0] < known}
        if before._joined.seen <= known:
            self._joined = before._joined

    def _go_on(self, counter: Counter, known: int) -> None:
        """Take in the others."""
        new = self.messages[known:]
        self.tokens += part_tokens(counter, new)
        self.costs += unscaled(counter, new, self.tokens[known:])
        self.special += [
            (number, place)
            for number, message in enumerate(new, known)
            for place, part in enumerate(message.parts)
            if len(part) > 1 or "text" not in part
        ]

    @property
    def joined(self) -> Joined:
        """How the messages hang together."""
        if self._joined.seen < len(self.messages):
            self._joined.extend(self.messages, plain=not self.special)
        return self._joined

    def mark(self, place: Place, why: str, make: Callable[[Part, str, str], Part]) -> Part:
        """What stands for a part, made of it, the reason and its message's id."""
        mark = self.marks.get(place)
        if mark is None or mark.why != why:
            message = self.messages[place[0]]
            mark = self.marks[place] = Mark(make(message.parts[place[1]], why, message.id), why)
        return mark.part

    def each(self, of: Callable[[Message, Sequence[int]], T]) -> list[T]:
        """What a function says of each message and of what its parts cost, asked once of each."""
        found: list[T] = self._each.setdefault(of, [])
        start = len(found)
        found += map(of, self.messages[start:], self.tokens[start:])
        return found


def _same(before: Sequence[Message], now: Sequence[Message]) -> int:
    """How many messages at the beginning are the same."""
    for number, (old, new) in enumerate(zip(before, now, strict=False)):
        if old is not new and any(getattr(old, name) != getattr(new, name) for name in _SAYS):
            return number
    return min(len(before), len(now))


@contextmanager
def alone(view: View) -> Iterator[View]:
    """The view with what is remembered of it, for nobody else meanwhile: another thread begins anew."""
    mine = view.with_messages(view.messages)
    mine.memo = view.memo.pop(__name__, {})
    try:
        yield mine
    except HistoryError:
        view.memo[__name__] = mine.memo
        raise
    view.memo[__name__] = mine.memo
