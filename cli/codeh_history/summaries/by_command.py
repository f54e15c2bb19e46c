"""A summary by a command of the user's: asked in requests that fit, its answer held to the gate."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import orjson

from .. import providers
from ..base.errors import SummarizerFailed
from ..providers.base import Options
from ..providers.wire import Cut, Failure, Nothing, Reply, read
from ..session.model import Message, Part
from . import gate, prompt, transcript
from .command import Commands
from .prompt import CONVERSATIONS, EXTRACT, SUMMARIES
from .transcript import SEPARATOR
from .window import Batch
from .writer import Written

Count = Callable[[Sequence[str]], list[int]]
Extract = Callable[[Sequence[Message], int], tuple[str, int] | None]

FAR_LONGER = 8  # times its source: refused without counting its tokens
_THINKING = re.compile(r"\A\s*<(think|thinking)>.*?</\1>", re.DOTALL)  # local models print it first


class Asked:
    """A command's: asked in requests that each fit `budget` tokens, its answers held to the gate.

    In plain text; or, for a command such as `curl`, with provider `to`'s request body and response.
    """

    def __init__(
        self,
        commands: Commands,
        count: Count,
        budget: int,
        to: str | None,
        model: str | None,
        extract: Extract,
        *,
        faithful: bool,
    ) -> None:
        """`extract` makes of messages too large to be read whole a text of so many tokens at most, and says
        how many they are; None of others.
        """
        self.commands = commands
        self.count = count
        self.budget = budget
        self.to = to
        self.model = model
        self.extract = extract
        self.faithful = faithful
        self.by = f"{to}/{model}" if model else to or "command"

    def of_batch(self, batch: Batch) -> Written:
        names = transcript.source(batch.messages, [str(batch.count)])
        pieces = transcript.entries(batch.messages)
        if pieces:
            room = self._room(batch.count, EXTRACT) - prompt.BESIDE
            text, size = self.extract(batch.messages, room) or ("", 0)
            if text:
                read = self.count([text])[0]
                return Written(self._reduced([text], names, batch.count, EXTRACT), (size, read))
        return Written(self._reduced(pieces, names, batch.count, CONVERSATIONS))

    def of_summaries(self, texts: Sequence[str], count: int) -> str:
        return self._reduced(list(texts), "\n".join([*texts, str(count)]), count, SUMMARIES)

    def stop(self) -> None:
        self.commands.stop()

    def _room(self, count: int, what: str) -> int:
        """What a request has room for beside its instructions, should they be about summaries too."""
        heads = [prompt.instructions(count, one, tokens=self.budget) for one in (SUMMARIES, what)]
        room = self.budget - max(self.count(heads)) - prompt.MARGIN
        if room < prompt.FEWEST:
            raise SummarizerFailed(
                f"a request of {self.budget} tokens has no room for a conversation; --budget more"
            )
        return room

    def _reduced(self, pieces: list[str], names: str, count: int, what: str) -> str:
        """One summary of all the pieces: where they do not fit one request, a summary of summaries."""
        if not pieces:
            return f"{count} exchanges without text."
        room = self._room(count, what)
        groups = prompt.chunks(pieces, room, self.count)
        while len(groups) > 1:
            partial = [self._one(group, names, len(group), what) for group in groups]
            shorter = prompt.chunks(partial, room, self.count)
            if len(shorter) >= len(groups):
                raise SummarizerFailed(
                    "its summaries of parts do not get shorter; a larger --budget may help"
                )
            groups, what = shorter, SUMMARIES
        return self._one(groups[0], names, count, what)

    def _one(self, pieces: Sequence[str], names: str, count: int, what: str) -> str:
        data = SEPARATOR.join(pieces)
        given = self.count([data])[0]
        head = prompt.instructions(count, what, tokens=given)
        text = _THINKING.sub("", self.answer(head, data)).strip()
        if len(text) > FAR_LONGER * max(len(data), 1000):
            sizes = f"{len(text)} of {len(data)} characters"
            raise SummarizerFailed(f"the summary was refused: it is not shorter than its source ({sizes})")
        said = self.count([text])[0]
        whole = prompt.plain(head, data)
        reasons = gate.problems(text, names, whole, tokens=(said, given), faithful=self.faithful)
        if reasons:
            raise SummarizerFailed(f"the summary was refused: {'; '.join(reasons)}")
        return text

    def answer(self, head: str, data: str) -> str:
        """What the command says to this request; how a provider failed says whether to try again."""
        if self.to is None:
            return self.commands.run(prompt.plain(head, data).encode(errors="replace")).text()
        parts: list[Part] = [{"text": data}]
        message = Message("request", "user", "user", None, {}, own=parts, parts=parts)
        request = providers.load(self.to).request([message], Options(model=self.model, system=head), ())
        done = self.commands.run(orjson.dumps(request.body) + b"\n")
        outcome = read(done.out, self.to)
        if isinstance(outcome, Reply):
            return _said(outcome.parts, outcome.finish)
        if isinstance(outcome, Failure):
            advice = "the same may succeed later" if outcome.retry else "change the request"
            raise SummarizerFailed(f"the provider refused: {outcome.text} ({advice})")
        done.check()
        later = " (the same may succeed later)" if isinstance(outcome, (Cut, Nothing)) else ""
        raise SummarizerFailed(f"{outcome.text}{later}")


_WHOLE = frozenset((None, "STOP", "stop", "end_turn", "stop_sequence", "completed", "complete"))


def _said(parts: Sequence[object], finish: str | None) -> str:
    """The text of a reply that ended of itself: half an answer or a refused one is no summary."""
    if finish not in _WHOLE:
        raise SummarizerFailed(f"the answer did not end of itself ({finish})")
    texts = (
        part["text"]
        for part in parts
        if isinstance(part, dict) and "text" in part and not part.get("thought")
    )
    return "".join(texts)
