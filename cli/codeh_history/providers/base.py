"""What every provider format is made of: the request it sends and the reply it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..session.model import Json, Part


@dataclass(frozen=True)
class Options:
    """What `payload` was asked for, besides the messages.

    `tools` are tool declarations in any provider's shape; `settings` are generation settings kept from
    an imported body of this very format. `faithful` converts the history as it stands, repairing
    nothing (for `verify --to`); `trace` asks for `Request.sources`.
    """

    model: str | None = None
    system: str | None = None
    tools: Sequence[Json] = ()
    max_tokens: int | None = None
    stream: bool = False
    cache: bool = False
    session: str = ""
    settings: Json = field(default_factory=dict)
    faithful: bool = False
    trace: bool = False


@dataclass
class Request:
    """A request body, and for people: what could not be sent as it is.

    `sources[i][j]` is the id of the message that content block `j` of array element `i` came from.
    """

    body: Json
    notes: list[str] = field(default_factory=list)
    sources: list[list[str]] = field(default_factory=list)


@dataclass
class Transcript:
    """A request as plain text, and for people: what could not be sent as it is."""

    text: str
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Reply:
    """A provider's answer, complete and in our own terms.

    `id` is the provider's response id; `usage` is normalised with the provider's object under `raw`;
    `finish` is the provider's own word; `alternatives` are the other choices that came with it, each with
    its parts and finish.
    """

    parts: list[Part]
    provider: str
    model: str | None = None
    finish: str | None = None
    usage: Json | None = None
    id: str | None = None
    alternatives: list[Json] = field(default_factory=list)


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


@dataclass
class Came:
    """What came of one answer, whole or not."""

    provider: str
    model: str | None = None
    id: str | None = None
    parts: list[Part] = field(default_factory=list)


Outcome = Reply | Failure | Cut | Nothing | Unreadable
"""Failure: 75 where `retry`, else 4. Only a Reply may become a model's message; its parts may be none."""


@dataclass(frozen=True)
class Problem:
    """One thing that a provider would refuse: where in the body (`messages.6.content.0`), and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Imported:
    """A request body read back: messages (records without ids), system prompt, tools and settings."""

    messages: list[Json]
    system: str | None = None
    tools: list[Json] = field(default_factory=list)
    model: str | None = None
    settings: Json = field(default_factory=dict)


class AnswerReader(Protocol):
    """Reads whatever was sent in answer to one request; `wire.Reader` says what each field means."""

    provider: str | None
    model: str | None
    response_id: str | None
    begun: bool
    restarts: int
    tail: list[Part]
    several: list[Came]

    def feed(self, chunk: bytes) -> list[Part]:
        """Take the next bytes; returns the parts that arrived with them."""

    def close(self) -> Outcome:
        """The end of the input has been reached: what it was. To be called once."""
