"""What methods of a session return."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple, Self

from ..session.model import Json, Message
from ..session.view import text_of


class Filtered(NamedTuple):
    """What a filter prints (nothing with `in_place`), and what it did, as `--report` says it."""

    output: bytes
    report: list[Json]


class Answer:
    """A model's answer, as it is stored: its message's `id`, its `text`, the `calls` it makes of tools.

    It may be awaited, which changes nothing: it is there.
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
