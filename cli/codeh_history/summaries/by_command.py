"""A summary by a command of the user's: asked in requests that fit, its answer held to the gate."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from .. import providers
from ..base.errors import SummarizerFailed
from ..providers.base import Options
from ..providers.wire import Cut, Failure, Nothing, Reply, read
from ..session.model import Message, Part, Summary
from . import gate
from .command import Runs
from .prompt import SUMMARIES, Prompt
from .source import Source, Sources, of_summaries
from .window import Batch
from .writer import Written


class Asked:
    """A command's: asked in requests that each fit the budget of `sources`, its answers held to the gate.

    In plain text; or, for a command such as `curl`, with provider `to`'s request body and response.
    """

    def __init__(
        self, commands: Runs, sources: Sources, to: str | None, model: str | None, *, faithful: bool
    ) -> None:
        self.commands = commands
        self.sources = sources
        self.to = to
        self.model = model
        self.faithful = faithful
        self.by = f"{to}/{model}" if model else to or "command"

    def of_batch(self, batch: Batch) -> Written:
        source = self.sources.of_batch(batch)
        return Written(self.of_source(source), source.shortened)

    def of_summaries(self, summaries: Sequence[Summary], count: int) -> Written:
        return Written(self.of_source(of_summaries([summary.text for summary in summaries], count)))

    def stop(self) -> None:
        self.commands.stop()

    def of_source(self, source: Source) -> str:
        """One summary of all the pieces: where they do not fit one request, a summary of summaries."""
        if not source.pieces:
            return source.silence
        what = source.what
        groups = self.sources.groups(source)
        while len(groups) > 1:
            partial = [
                self._one(source._replace(pieces=group, exchanges=len(group), what=what))
                for group in groups
            ]
            shorter = self.sources.groups(source._replace(pieces=partial))
            if len(shorter) >= len(groups):
                raise SummarizerFailed(
                    "its summaries of parts do not get shorter; a larger --budget may help"
                )
            groups, what = shorter, SUMMARIES
        return self._one(source._replace(pieces=groups[0], what=what))

    def _one(self, source: Source) -> str:
        asked, given = self.sources.prompt(source)
        answer = self.answer(asked)
        return gate.summary_in(
            answer,
            source.names,
            asked.plain,
            given,
            self.sources.count,
            messages=source.messages,
            checked=self.faithful,
        )

    def answer(self, asked: Prompt) -> str:
        """What the command says to this request; how a provider failed says whether to try again."""
        if self.to is None:
            return self.commands.run(asked.plain.encode(errors="replace")).text()
        parts: list[Part] = [{"text": asked.data}]
        message = Message("request", "user", "user", None, {}, own=parts, parts=parts)
        request = providers.load(self.to).request(
            [message], Options(model=self.model, system=asked.head or None), ()
        )
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


def _said(parts: Sequence[Part], finish: str | None) -> str:
    """The text of a reply that ended of itself: half an answer or a refused one is no summary."""
    if finish not in _WHOLE:
        raise SummarizerFailed(f"the answer did not end of itself ({finish})")
    return "".join(part["text"] for part in parts if "text" in part and not part.get("thought"))
