"""Who writes a summary: the built-in outline, or a command (`by_command`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from ..session.exchanges import text_of
from ..session.model import Json, Message, Summary
from ..tokens import Counter, message_tokens
from .clipped import clip
from .window import Batch

LEAST, SHORT, MOST = 150, 300, 3000  # tokens of an outline
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

    by: str  # what the record says of it

    def of_batch(self, batch: Batch) -> Written:
        """A summary of these exchanges."""

    def of_summaries(self, summaries: Sequence[Summary], count: int) -> Written:
        """One summary in the place of several, which stand for `count` exchanges."""

    def stop(self) -> None:
        """End what still runs for it; from then on it has nothing to give."""


class Outline:
    """The built-in one: what `compact` would write of the messages, offline and deterministic."""

    by = "outline"

    def __init__(self, extract: Extract, counter: Counter) -> None:
        self._extract = extract
        self._counter = counter

    def of_batch(self, batch: Batch) -> Written:
        """In a tenth of their tokens, in a half where they are few."""
        size = sum(message_tokens(self._counter, batch.messages))
        room = min(max(size // 11, min(LEAST, size // 2)), MOST)
        first = next(
            (text for m in batch.messages if m.role == "user" and (text := text_of(m).strip())), ""
        )
        begins = f", beginning with: {clip(first, 200)}" if first else " without text."
        return self._written(batch.messages, room, (), f"{batch.count} exchanges{begins}")

    def of_summaries(self, summaries: Sequence[Summary], count: int) -> Written:
        """In three quarters of their tokens; short ones lose nothing."""
        size = sum(self._counter.counts([summary.text for summary in summaries]))
        room = min(max(size * 3 // 4, min(size * 2, SHORT)), MOST)
        return self._written((), room, summaries, f"{count} earlier exchanges.")

    def _written(
        self, messages: Sequence[Message], room: int, summaries: Sequence[Summary], silence: str
    ) -> Written:
        fields = self._extract(messages, room, summaries)
        if not fields["summary"]:
            return Written(silence)
        return Written(fields["summary"], lines=fields["lines"])

    def stop(self) -> None:
        """Nothing runs."""
