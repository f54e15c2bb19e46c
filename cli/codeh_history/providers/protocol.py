"""The interfaces of a provider's package and of readers of answers, and the outcomes of a request.

A package must import quickly, because detection loads all of them; `Format` imports its modules on demand.
What a package recognises must not depend on other providers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from ..session.model import Json, Part
from .request import Tool


@dataclass(frozen=True)
class Reply:
    """A provider's complete answer.

    `id` is the provider's response id; `usage` is normalised, with the provider's object under `raw`;
    `finish` is the provider's finish reason; `further` counts the other choices, which are not kept.
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
    """A provider's error; `retry`: the same request may succeed later."""

    text: str
    provider: str
    retry: bool
    model: str | None = None
    code: str | None = None


@dataclass(frozen=True)
class Cut:
    """A truncated answer: the parts that arrived, and what was missing (retry: exit code 75)."""

    parts: list[Part]
    text: str


@dataclass(frozen=True)
class Nothing:
    """No byte of an answer arrived (retry: exit code 75)."""

    text: str = "nothing arrived"


@dataclass(frozen=True)
class Unreadable:
    """Not an answer; `text` describes the input (bad data: exit code 65)."""

    text: str


Outcome = Reply | Failure | Cut | Nothing | Unreadable
"""A Failure is exit code 75 if `retry`, else 4. Only a Reply, even without parts, becomes a message."""


class AnswerReader(Protocol):
    """Reads the response to one request.

    `provider`, `model` and `response_id` are those of the current answer, None while unknown (`provider` is
    the expected format, if any, from the start). `begun`: a streamed answer has begun, so a pending message
    may be opened. `restarts` counts the answers that began after another one (retries): if a feed increases
    it, the returned parts replace all earlier ones. `tail`: the parts that close() completed (with
    `restarts` as for feed). `arrived`: all parts of the newest answer.
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
        """Read the next bytes; return the parts that arrived with them."""

    def close(self) -> Outcome:
        """End the input and return the outcome; call it once."""


class Provider(Protocol):
    """A provider's package (`gemini/__init__.py`): how to recognise its answers, errors and tools."""

    NAME: str  # the provider's name in `PROVIDERS`
    FIELD: str  # the field of a request body with the messages
    MODEL_IN_URL: bool  # whether the model is in the URL instead of the body
    END: str  # what a truncated stream lacks, for messages
    ENDED: Collection[str]  # finish reasons of an answer that may be complete without content
    CHANCE: Collection[str]  # finish reasons of an accidental failure, which a retry may avoid
    PASSING: Collection[str]  # words in the text of a temporary error that has no status

    def recognises(self, body: Json, /) -> str | None:
        """The kind of an object: `answer`, `event` of a stream, `either`; None if another provider's."""

    def fails(self, body: Json, /) -> bool:
        """Whether an error body has this provider's shape."""

    def tools(self, element: Json, /) -> Iterable[Tool] | None:
        """The tools declared by an element of `tools`; None if its shape is another provider's."""


class StreamReader(Protocol):
    """Reads one streamed reply, event by event."""

    done: bool = False  # the terminator has arrived
    id: str | None = None
    model: str | None = None

    def belongs(self, event: Json) -> bool:
        """Whether an event continues this reply, not another one."""

    def conflicts(self, event: Json, /) -> bool:  # noqa: ARG002
        """Whether an event of this reply shows that two answers are interleaved."""
        return False

    def end(self) -> None:
        """Handle `[DONE]`, which ends the streams of only one format."""
        return

    def end_of_input(self) -> None:
        """Handle the end of all input, which completes an answer that has all but its terminator."""
        return

    def feed(self, event: Json) -> list[Part]:
        """Read an event; return the parts that arrived with it, for pending content and `--echo`."""

    def conclude(self) -> Reply | Failure:
        """Return the events so far as the whole answer: a reply with its final parts, or an error."""

    def result(self) -> Reply | Failure | None:
        """Return the same as `conclude`; None if the answer is not complete."""
        return self.conclude() if self.done else None
