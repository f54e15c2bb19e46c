"""What comes of a request: a reply, a failure, or what else arrived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..session.model import Json, Part


@dataclass(frozen=True)
class Reply:
    """A provider's answer, complete and in our own terms.

    `id` is the provider's response id; `usage` is normalised with the provider's object under `raw`;
    `finish` is the provider's own word; `further` counts the other choices that came with it, which are
    not kept.
    """

    parts: list[Part]
    provider: str
    model: str | None = None
    finish: str | None = None
    usage: Json | None = None
    id: str | None = None
    further: int = 0


@dataclass(frozen=True)
class Failure:
    """A provider's error: its own words, and whether the same request may succeed later."""

    text: str
    provider: str
    retry: bool
    model: str | None = None
    code: str | None = None


@dataclass(frozen=True)
class Cut:
    """The answer ended before its end: the parts that arrived, and what was missing (try again: 75)."""

    parts: list[Part]
    text: str


@dataclass(frozen=True)
class Nothing:
    """No byte of an answer arrived (try again: 75)."""

    text: str = "nothing arrived"


@dataclass(frozen=True)
class Unreadable:
    """Not one provider's answer: what it looks like instead (bad data: 65)."""

    text: str


Outcome = Reply | Failure | Cut | Nothing | Unreadable
"""Failure: 75 where `retry`, else 4. Only a Reply may become a model's message; its parts may be none."""


class AnswerReader(Protocol):
    """Reads whatever was sent in answer to one request.

    `provider`, `model` and `response_id` are those of the answer being read, None while unknown
    (`provider` is a given format from the start). `begun`: a streamed answer has begun, so that a
    pending message may be opened. `restarts` counts the answers that began after an earlier one had
    begun (a retry): when a feed raises it, the parts it returns replace all earlier ones. `tail`: parts
    that only close() brought to light (with `restarts` as for feed). `arrived`: all parts of the newest
    answer that a provider sent.
    """

    provider: str | None
    model: str | None
    response_id: str | None = None
    begun: bool = False
    restarts: int = 0
    tail: list[Part]
    arrived: list[Part]

    def __init__(self, provider: str | None, model: str | None) -> None:
        self.provider = provider
        self.model = model
        self.tail = []
        self.arrived = []

    def feed(self, chunk: bytes) -> list[Part]:
        """Take the next bytes; returns the parts that arrived with them."""

    def close(self) -> Outcome:
        """The end of the input has been reached: what it was. To be called once."""
