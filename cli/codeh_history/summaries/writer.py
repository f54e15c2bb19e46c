"""Who writes a summary: `compact`'s extract, which is built in, or a command (`ask`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from ..session.model import Json, Message, Summary
from ..session.view import text_of
from ..tokens import Counter, message_tokens
from .clipped import clip
from .window import Batch

LEAST, SHORT, MOST = 150, 300, 3000  # tokens of an extract
# `summary` and `lines` of messages and earlier summaries, in at most so many tokens.
Extract = Callable[[Sequence[Message], int, Sequence[Summary]], Json]


class Written(NamedTuple):
    """A summary's text; of a source too large to be read whole its tokens, and those that were read.

    `lines`: of one that is made of lines, as its record has them.
    """

    text: str
    shortened: tuple[int, int] | None = None
    lines: list[list[str]] | None = None


class Summarizer(Protocol):
    """Makes the text of a summary; raises SummarizerFailed where it has none to give."""

    by: str  # the record's `by`

    def write(self, batch: Batch) -> Written:
        """A summary of these messages and earlier summaries."""


class Outline:
    """The built-in one: what `compact` would write, offline and deterministic."""

    by = "outline"

    def __init__(self, extract: Extract, counter: Counter) -> None:
        self._extract = extract
        self._counter = counter

    def write(self, batch: Batch) -> Written:
        """Messages in a tenth of their tokens, a half where they are few; summaries in three quarters."""
        if batch.messages:
            size = sum(message_tokens(self._counter, batch.messages))
            room = max(size // 11, min(LEAST, size // 2))
        else:
            size = sum(self._counter.counts([summary.text for summary in batch.summaries]))
            room = max(size * 3 // 4, min(size * 2, SHORT))
        fields = self._extract(batch.messages, min(room, MOST), batch.summaries)
        if fields["summary"]:
            return Written(fields["summary"], lines=fields["lines"])
        texts = (text_of(message).strip() for message in batch.messages if message.role == "user")
        first = next(filter(None, texts), "")
        if batch.summaries:
            return Written(f"{batch.count} earlier exchanges.")
        begins = f", beginning with: {clip(first, 200)}" if first else " without text."
        return Written(f"{batch.count} exchanges{begins}")
