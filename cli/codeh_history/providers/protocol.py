"""What a provider is made of: a package of plain modules, each behind one of these protocols.

The package itself is light, for every provider is asked whose an answer, an error or a tool is; its modules
are imported where they are needed. What it says of itself must not depend on the other providers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal, Protocol

from ..session.model import Json, Message, Part
from .base import Options, Request, Tool
from .body import Imported
from .reply import Failure, Reply
from .validator import Validator

Kind = Literal["answer", "event", "either"]


class Provider(Protocol):
    """The package (`gemini/__init__.py`): what its requests, answers and errors look like."""

    NAME: str  # as in the table
    FIELD: str  # of a request body: where the messages stand
    MODEL_IN_URL: bool  # instead of in the body
    END: str  # what a stream that was cut lacks, for people
    LINES: bool  # whether a stream is JSON lines: nothing that another object holds is one
    ENDED: Collection[str]  # how an answer ends that is whole although it says nothing
    CHANCE: Collection[str]  # how one ends that went wrong by chance: the same request may go right
    PASSING: Collection[str]  # in an error's text: the same may succeed later, where nothing else tells

    def recognises(self, body: Json, /) -> Kind | None:
        """Whether an object is an answer of this provider, an event of its stream, or could be both."""

    def fails(self, body: Json, /) -> bool:
        """Whether an error body is in this provider's shape."""

    def tools(self, element: Json, /) -> Iterable[Tool] | None:
        """The tools that an element of this provider's `tools` declares; None for another's element."""


class RequestModule(Protocol):
    """`request`: messages → a body."""

    def build(self, messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
        """The body for these curated, paired messages: a pure function of its arguments."""


class RulesModule(Protocol):
    """`rules`: what the provider would refuse about a body."""

    Rules: type[Validator]


class BodyModule(Protocol):
    """`body`: the inverse of `request`."""

    def holds(self, item: object) -> bool:
        """Whether this is an element of the body's messages, by its shape alone."""

    def shows(self, body: Json) -> bool:
        """Whether a body (or its messages alone, in their field) is written as only this provider does."""

    def read(self, body: Json) -> Imported:
        """The messages, system prompt, tools and settings of a body; BadData names what is no message."""


class ResponseModule(Protocol):
    """`response`: what comes back."""

    def read(self, body: Json) -> Reply | Failure:
        """A complete, non-streaming response body; usage is normalised."""

    Stream: type[StreamReader]


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

    def result(self) -> Reply | Failure | None:
        """The reply with its authoritative parts, or the error; None while neither is complete."""
