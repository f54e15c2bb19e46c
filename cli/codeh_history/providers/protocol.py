"""What a provider's package offers, what reads its answers, and what comes of a request.

The package must import quickly, because detection loads all of them; `Format` imports a package's modules
when it needs them. What a package recognises must not depend on other providers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from ..session.model import Json, Part
from .base import Tool


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


class Provider(Protocol):
    """The package (`gemini/__init__.py`): what its requests, answers and errors look like."""

    NAME: str  # as in the table
    FIELD: str  # of a request body: where the messages stand
    MODEL_IN_URL: bool  # instead of in the body
    END: str  # what a stream that was cut lacks, for people
    ENDED: Collection[str]  # how an answer ends that is whole although it says nothing
    CHANCE: Collection[str]  # how one ends that went wrong by chance: the same request may go right
    PASSING: Collection[str]  # in an error's text: the same may succeed later, where nothing else tells

    def recognises(self, body: Json, /) -> str | None:
        """What an object is: an `answer` of this provider, an `event` of its stream, `either`, or None."""

    def fails(self, body: Json, /) -> bool:
        """Whether an error body is in this provider's shape."""

    def tools(self, element: Json, /) -> Iterable[Tool] | None:
        """The tools that an element of this provider's `tools` declares; None for another's element."""


class StreamReader(Protocol):
    """Reads one streamed reply, event by event."""

    done: bool = False  # the terminator has arrived: the reply is complete
    id: str | None = None
    model: str | None = None

    def belongs(self, event: Json) -> bool:
        """Whether an event continues this reply; else it begins another one."""

    def conflicts(self, event: Json, /) -> bool:  # noqa: ARG002
        """Whether an event that belongs here shows that two answers are interleaved."""
        return False

    def end(self) -> None:
        """`[DONE]` has arrived: it ends the streams of one format, and elsewhere means nothing."""
        return

    def feed(self, event: Json) -> list[Part]:
        """Take one event; returns the parts that arrived with it, for pending content and `--echo`."""

    def conclude(self) -> Reply | Failure:
        """What was read, taken as the whole answer: a reply with its authoritative parts, or an error."""

    def result(self) -> Reply | Failure | None:
        """As `conclude`; None while the answer is not complete."""
        return self.conclude() if self.done else None
