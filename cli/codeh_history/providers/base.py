"""What every provider format is made of: the request it sends and the reply it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..model import Json, Part


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


class StreamReader(Protocol):
    """Reads one streamed reply, event by event."""

    done: bool  # the terminator has arrived: the reply is complete
    id: str | None
    model: str | None

    def belongs(self, event: Json) -> bool:
        """Whether an event continues this reply; else it begins another one."""

    def conflicts(self, event: Json, /) -> bool:
        """Whether an event that belongs here shows that those of two answers came through each other."""

    def end(self) -> None:
        """`[DONE]` has arrived, which ends a stream of some formats."""

    def feed(self, event: Json) -> list[Part]:
        """Take one event; returns the parts that arrived with it, for pending content and `--echo`."""

    def result(self) -> Reply | Failure | None:
        """The reply with its authoritative parts, or the error; None while neither is complete."""
