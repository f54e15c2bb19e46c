"""What a summary is made of, as a prompt shows it: exchanges, an extract of them, earlier summaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..base.errors import SummarizerFailed
from ..session.model import Message
from . import prompt, transcript
from .prompt import CONVERSATIONS, EXTRACT, SUMMARIES, Count, Prompt, Wording
from .transcript import SEPARATOR
from .window import Batch

Extract = Callable[[Sequence[Message], int, int], tuple[str, int] | None]


class Source(NamedTuple):
    """Pieces of text, all that a summary of them may name, how many exchanges they are, and in which form.

    `shortened`: the tokens of what is too large to be read whole, and of the extract that is read instead.
    """

    pieces: list[str]
    names: str
    exchanges: int
    what: str
    shortened: tuple[int, int] | None = None
    messages: Sequence[Message] = ()

    @property
    def silence(self) -> str:
        """The summary of a source without text: nobody is asked."""
        return f"{self.exchanges} exchanges without text."


def of_batch(batch: Batch) -> Source:
    """The exchanges of a batch, whole."""
    names = transcript.source(batch.messages, [str(batch.count), batch.system])
    entries = transcript.entries(batch.messages)
    return Source(entries, names, batch.count, CONVERSATIONS, messages=batch.messages)


def of_summaries(texts: Sequence[str], count: int) -> Source:
    """Summaries that stand for `count` exchanges."""
    return Source(list(texts), "\n".join([*texts, str(count)]), count, SUMMARIES)


@dataclass(frozen=True)
class Sources:
    """Makes sources, and the prompts of at most `budget` tokens that show them.

    `extract` makes of messages of more than so many tokens (`most`) a text of at most so many (the third
    argument), and says how many they are; None of others.
    """

    count: Count
    budget: int
    most: int
    extract: Extract
    wording: Wording = prompt.standard

    def of_batch(self, batch: Batch, most: int | None = None) -> Source:
        """The exchanges of a batch; those of more than `most` tokens as an extract that fits one prompt."""
        whole = of_batch(batch)
        if whole.pieces:
            room = self.room(batch.count, EXTRACT) - prompt.BESIDE
            most = self.most if most is None else most
            text, size = self.extract(batch.messages, most, min(room, self.most)) or ("", 0)
            if text:
                sizes = size, self.count([text])[0]
                return whole._replace(pieces=[text], what=EXTRACT, shortened=sizes)
        return whole

    def room(self, count: int, what: str) -> int:
        """What a prompt has room for beside its instructions, should they be about summaries too."""
        heads = [self.wording(count, one, self.budget, "") for one in (SUMMARIES, what)]
        room = self.budget - max(self.count([head.head or head.data for head in heads])) - prompt.MARGIN
        if room < prompt.FEWEST:
            raise SummarizerFailed(
                f"a request of {self.budget} tokens has no room for a conversation; --budget more"
            )
        return room

    def groups(self, source: Source) -> list[list[str]]:
        """The pieces of a source, in groups that each fit one prompt."""
        return prompt.chunks(source.pieces, self.room(source.exchanges, source.what), self.count)

    def prompt(self, source: Source) -> tuple[Prompt, int]:
        """The prompt for a source that fits, and how many tokens of it are the source's."""
        data = SEPARATOR.join(source.pieces)
        given = self.count([data])[0]
        return self.wording(source.exchanges, source.what, given, data), given
