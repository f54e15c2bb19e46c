"""The interface of a provider's package, and of the reader of its streams.

The package must import quickly, because detection loads all of them; `Format` imports a package's modules
when it needs them. What a package recognises must not depend on other providers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

from ..session.model import Json, Part
from .base import Tool
from .reply import Failure, Reply


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
