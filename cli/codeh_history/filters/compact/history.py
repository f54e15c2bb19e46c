"""What is to be compacted, as it came: the messages that are sent, what they cost, and their units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from ...session.model import CONTINUATION, Message, Part
from ...session.view import View
from ...tokens import Counter, part_tokens, parts_tokens, summary_text
from ...tokens.formula import overhead, sent, unscaled
from . import stubs, words
from .plan import Settings
from .summary import OF_TOOLS, entries_of
from .units import WORK, Layout, shape_of
from .units import Place as Place  # noqa: PLC0414 - for those who import it here

LONG = 2_000  # characters of an answer, or pasted into a prompt, that may be shortened at the very end


class History:
    """The messages that are sent, by position, and their costs; nothing of it changes.

    All counts are unscaled. Units are worked out where something has to be done.
    """

    def __init__(self, view: View, counter: Counter, settings: Settings) -> None:
        self.view = view
        self.counter = counter
        self.settings = settings
        self.messages: Sequence[Message] = [message for message in view.messages if sent(message)]
        self.tokens = part_tokens(counter, self.messages)
        self.costs = unscaled(counter, self.messages, self.tokens)
        self.special: list[Place] = [  # calls, results, files, thoughts: all but plain texts
            (number, place)
            for number, message in enumerate(self.messages)
            for place, part in enumerate(message.parts)
            if len(part) > 1 or "text" not in part
        ]
        self.summaries = [summary.text for summary in view.summaries]
        self.summary_cost = self.cost_of_summaries(self.summaries)
        self.fixed_cost = counter.history + overhead(counter, settings.system, settings.tools, ())
        self.bare_total = self.fixed_cost + self.summary_cost + sum(self.costs)
        self.total = self.bare_total + (0 if self.summaries else self.opening(range(len(self.messages))))

    @cached_property
    def layout(self) -> Layout:
        """Units and what must stay."""
        return Layout(self.messages, self.settings.keep_last)

    @cached_property
    def shape(self) -> str:
        """Which kind of conversation it is; tools that an earlier summary tells of are still at work."""
        earlier = {line.kind for summary in self.view.summaries for line in entries_of(summary) or ()}
        return shape_of(self.messages) if earlier.isdisjoint(OF_TOOLS) else WORK

    @property
    def yielding(self) -> list[Place]:
        """What may shrink at the very end: results and answers inside the last unit, and what is pasted
        into the last prompt.
        """
        layout, found = self.layout, list[Place]()
        prompt = [] if layout.prompt is None else [layout.prompt]
        for number in sorted({*layout.last, *prompt} if layout.yielding else ()):
            message = self.messages[number]
            for place, part in enumerate(message.parts):
                text = "" if part.get("thought") else part.get("text", "")
                if message.role == "model":
                    may = len(text) > LONG or stubs.is_stub(text)
                elif number == layout.prompt:
                    may = len(text) > LONG and (stubs.is_stub(text) or self._pasted(text) > LONG)
                else:
                    may = "functionResponse" in part
                found += [(number, place)] if may else ()
        return found

    @staticmethod
    def _pasted(text: str) -> int:
        return sum(len(line) for line, own, _ in words.rows(text, len(text)) if not own)

    def opening(self, numbers: Iterable[int]) -> int:
        """What a request adds that would begin with a model's message, were these its messages."""
        first = next(iter(numbers), None)
        if first is None or self.messages[first].role != "model" or not self.counter.message:
            return 0
        return self.counter.message + self.counter.counts([CONTINUATION])[0]

    def part(self, place: Place) -> Part:
        return self.messages[place[0]].parts[place[1]]

    def stub(self, place: Place) -> stubs.Stub | None:
        """The part to be shortened; None where it was before, or nothing in it is long."""
        return stubs.stub(self.part(place), self.messages[place[0]].id, self._own(place))

    def bare(self, place: Place) -> Part:
        """The least that may be left of a part."""
        return stubs.bare(self.part(place), "", self.messages[place[0]].id, self._own(place))

    def _own(self, place: Place) -> list[int]:
        """The lines of a prompt that are its author's own words."""
        text = self.part(place).get("text") if place[0] == self.layout.prompt else None
        return stubs.own_lines(text) if text else []

    def sizes(self, changes: Sequence[tuple[Place, Part | None, str]]) -> list[int]:
        """What is put in these places costs: nothing, where nothing is."""
        sizes = iter(parts_tokens(self.counter, [part for _, part, _ in changes if part is not None]))
        return [0 if part is None else next(sizes) for _, part, _ in changes]

    def cost_of_summaries(self, texts: Sequence[str]) -> int:
        """What the one record costs that these are sent as."""
        if not texts:
            return 0
        return self.counter.message + self.counter.counts([summary_text(texts)], drafts=True)[0]

    def ids(self, numbers: Iterable[int]) -> list[str]:
        return [self.messages[number].id for number in numbers]
