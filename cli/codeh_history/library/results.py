"""The results of a session's methods."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple, Self

from ..session.model import Json, Message
from ..session.view import text_of


class Filtered(NamedTuple):
    """A filter's output (empty with `in_place`), and its changes in the format of `--report`."""

    output: bytes
    report: list[Json]


class Answer:
    """A stored answer: its message's `id`, its `text`, its tool `calls`.

    Awaiting it returns it unchanged, so that `await session.ask(…)` works with any `via`.
    """

    __slots__ = ("calls", "id", "text")

    def __init__(self, message: Message) -> None:
        self.id = message.id
        self.text = text_of(message)
        self.calls: list[Json] = [
            dict(part["functionCall"]) for part in message.parts if "functionCall" in part
        ]

    def __repr__(self) -> str:
        return f"Answer({self.id!r}, {self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __await__(self) -> Generator[Any, None, Self]:
        yield from ()
        return self
