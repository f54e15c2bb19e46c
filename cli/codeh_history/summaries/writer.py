"""Who writes a summary: the built-in outline, or a command (`by_command`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from .window import Batch


class Written(NamedTuple):
    """A summary's text; of a source too large to be read whole its tokens, and those that were read."""

    text: str
    shortened: tuple[int, int] | None = None


class Summarizer(Protocol):
    """Makes the text of a summary; raises SummarizerFailed where it has none to give."""

    by: str  # what the record says of it

    def of_batch(self, batch: Batch) -> Written:
        """A summary of these exchanges."""

    def of_summaries(self, texts: Sequence[str], count: int) -> str:
        """One summary in the place of several, which stand for `count` exchanges."""

    def stop(self) -> None:
        """End what still runs for it; from then on it has nothing to give."""


class Outline:
    """The built-in one: extracted, offline, deterministic."""

    by = "outline"

    def of_batch(self, batch: Batch) -> Written:
        from . import outline

        return Written(outline.outline(batch.messages, outline.room(outline.size(batch.messages))))

    def of_summaries(self, texts: Sequence[str], count: int) -> str:
        from . import outline

        return outline.fold(texts, outline.folded_room(texts)) or f"{count} earlier exchanges."

    def stop(self) -> None:
        """Nothing runs."""
