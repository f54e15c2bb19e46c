"""What a provider sent, read as it arrives: bytes in any chunking → parts as they come, then one outcome.

    reader = Reader(format)            # None: detect it
    while chunk := read(stdin):
        parts = reader.feed(chunk)     # new content, for the pending message and for --echo
    outcome = reader.close()           # Reply, Failure, Cut, Nothing or Unreadable

Pure: no clock, no I/O. Nothing that arrives makes it raise.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Part
from .base import Failure, Reply

__all__ = ["Cut", "Failure", "Nothing", "Outcome", "Reader", "Reply", "Unreadable", "read"]


@dataclass(frozen=True)
class Cut:
    """The answer ended before its end: the parts that arrived, and what was missing (try again: 75)."""

    parts: list[Part]
    text: str


@dataclass(frozen=True)
class Nothing:
    """No byte of an answer arrived (try again: 75)."""

    text: str = "nothing arrived: the command before the pipe printed nothing"


@dataclass(frozen=True)
class Unreadable:
    """Not one provider's answer: what it looks like instead (bad data: 65)."""

    text: str


Outcome = Reply | Failure | Cut | Nothing | Unreadable
"""Failure: 75 where `retry`, else 4. Only a Reply may become a model's message; its parts may be none."""


class Reader:
    """Reads what a provider sent in answer to one request, whatever curl did on the way.

    `provider`, `model` and `response_id` are those of the answer being read, None while unknown
    (`provider` is the given format from the start). `begun`: a streamed answer has begun, so that a
    pending message may be opened. `restarts` counts the answers that began after an earlier one had
    begun (a retry): when a feed raises it, the parts it returns replace all earlier ones. `done`: the
    terminator has arrived; only close() says whether more followed. `tail`: parts that only close()
    brought to light.
    """

    def __init__(self, format: str | None = None) -> None:
        self.format = format
        self.provider: str | None = format
        self.model: str | None = None
        self.response_id: str | None = None
        self.begun = False
        self.done = False
        self.restarts = 0
        self.tail: list[Part] = []

    def feed(self, chunk: bytes) -> list[Part]:
        """Take the next bytes; returns the parts that arrived with them.

        Parts of a streamed answer come piece by piece (texts and thoughts as deltas, calls whole);
        those of an answer that is one JSON document all at once, with `begun` still False.
        """
        raise NotImplementedError

    def close(self) -> Outcome:
        """The end of the input has been reached: what it was. To be called once."""
        raise NotImplementedError


def read(data: bytes, format: str | None = None) -> Outcome:
    """The outcome of an answer that is there as a whole."""
    reader = Reader(format)
    reader.feed(data)
    return reader.close()
