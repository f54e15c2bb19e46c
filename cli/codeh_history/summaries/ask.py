"""Summaries by the user's command: requests that fit a budget, answers that pass the gate."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from .. import providers
from ..base.errors import SummarizerFailed
from ..providers.protocol import Cut, Failure, Nothing, Reply
from ..providers.request import Options
from ..providers.wire import read
from ..session.model import Json, Message, Part
from .command import CommandRunner
from .request import SUMMARIES, Prompt, Source, Sources, without_text
from .window import Batch

_WHOLE = frozenset((None, "STOP", "stop", "end_turn", "stop_sequence", "completed", "complete"))


@dataclass(frozen=True)
class CommandSummarizer:
    """Summarises by a command, in requests that fit the budget of `sources`.

    Prompt and answer are plain text or, for a command such as `curl`, the request body and response of
    provider `to`.
    """

    commands: CommandRunner
    sources: Sources
    to: str | None
    model: str | None
    faithful: bool

    def write(self, batch: Batch) -> Json:
        """Summarise a whole batch; if it does not fit one request, summarise the summaries of its parts."""
        by = f"{self.to}/{self.model}" if self.model else self.to or "command"
        source = self.sources.of_batch(batch)
        if not source.pieces:
            return {"summary": without_text(batch), "by": by}
        groups = self.sources.groups(source)
        while len(groups) > 1:
            parts = (source._replace(pieces=group, exchanges=len(group)) for group in groups)
            source = source._replace(pieces=[self._summary_of(part) for part in parts], form=SUMMARIES)
            before, groups = len(groups), self.sources.groups(source)
            if len(groups) >= before:
                raise SummarizerFailed(
                    "its summaries of parts do not get shorter; a larger --budget may help"
                )
        text = self._summary_of(source._replace(pieces=groups[0]))
        return {"summary": text, "shortened": source.shortened, "by": by}

    def _summary_of(self, source: Source) -> str:
        request = self.sources.request(source)
        return request.accept(self.answer(request.prompt), self.sources.count, faithful=self.faithful)

    def answer(self, prompt: Prompt) -> str:
        """Return the command's answer to a prompt; raise SummarizerFailed, saying whether to retry."""
        if self.to is None:
            return self.commands.run(prompt.plain.encode(errors="replace")).text()
        parts: list[Part] = [{"text": prompt.data}]
        message = Message("request", "user", "user", None, {}, own=parts, parts=parts)
        options = Options(model=self.model, system=prompt.head or None)
        request = providers.Format(self.to).request([message], options, ())
        done = self.commands.run(orjson.dumps(request.body) + b"\n")
        outcome = read(done.out, self.to)
        if isinstance(outcome, Reply):
            if outcome.finish not in _WHOLE:  # truncated or refused
                raise SummarizerFailed(f"the answer is incomplete ({outcome.finish})")
            return "".join(
                part["text"] for part in outcome.parts if "text" in part and not part.get("thought")
            )
        if isinstance(outcome, Failure):
            advice = "the same may succeed later" if outcome.retry else "change the request"
            raise SummarizerFailed(f"the provider refused: {outcome.text} ({advice})")
        done.check()
        later = " (the same may succeed later)" if isinstance(outcome, (Cut, Nothing)) else ""
        raise SummarizerFailed(f"{outcome.text}{later}")
