"""What is to be compacted, as it came: the messages that are sent, what they cost, and their units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from ...session.model import Message, Part
from ...session.view import View
from ...tokens import Counter, parts_tokens, summary_text
from ...tokens.formula import overhead, sent
from . import stubs
from .past import Past
from .past import Place as Place  # noqa: PLC0414 - for those who import it here
from .plan import Settings
from .units import Layout
from .worth import Words


class History:
    """The messages that are sent, by position, and their costs; nothing of it changes.

    All counts are unscaled. Units are worked out where something has to be done.
    """

    def __init__(self, view: View, counter: Counter, settings: Settings) -> None:
        self.view = view
        self.counter = counter
        self.settings = settings
        messages = [message for message in view.messages if sent(message)]
        memo = view.memo.setdefault("past", {})
        counted = counter.vocabulary, counter.media
        self.past = memo[counted] = Past(messages, counter, memo.pop(counted, None))
        self.messages: Sequence[Message] = self.past.messages
        self.tokens = self.past.tokens
        self.costs = self.past.costs
        self.special = self.past.special  # calls, results, files, thoughts: all but plain texts
        self.summaries = [summary.text for summary in view.summaries]
        self.summary_cost = self.cost_of_summaries(self.summaries)
        self.fixed_cost = counter.history + overhead(counter, settings.system, settings.tools, ())
        self.total = self.fixed_cost + self.summary_cost + sum(self.costs)
        self.words = Words(view.memo.setdefault("words", {}))

    @cached_property
    def layout(self) -> Layout:
        """Units and what must stay."""
        return Layout(self.messages, self.settings.keep_last, self.past.joined)

    @property
    def yielding(self) -> list[Place]:
        """The results inside the last unit, where they may shrink at the very end."""
        last = frozenset(self.layout.last if self.layout.yielding else ())
        return [
            place for place in self.special
            if place[0] in last and "functionResponse" in self.part(place)
        ]  # fmt: skip

    def part(self, place: Place) -> Part:
        return self.messages[place[0]].parts[place[1]]

    def stub(self, place: Place) -> stubs.Stub | None:
        """The part to be shortened; None where it was before, or nothing in it is long."""
        return stubs.stub(self.part(place), self.messages[place[0]].id)

    def sizes(self, changes: Sequence[tuple[Place, Part | None, str]]) -> list[int]:
        """What is put in these places costs: nothing, where nothing is; of marks it is known."""
        found = [self._known(place, part) for place, part, _ in changes]
        left = [number for number, size in enumerate(found) if size is None]
        parts = [part for number in left if (part := changes[number][1]) is not None]
        for number, size in zip(left, parts_tokens(self.counter, parts), strict=True):
            found[number] = size
            mark = self.past.marks.get(changes[number][0])
            if mark is not None and mark.part is changes[number][1]:
                mark.size = size
        return [size or 0 for size in found]

    def _known(self, place: Place, part: Part | None) -> int | None:
        """What a part costs, where that is known."""
        mark = self.past.marks.get(place)
        if part is None:
            return 0
        return mark.size if mark is not None and mark.part is part else None

    def cost_of_summaries(self, texts: Sequence[str]) -> int:
        """What the one record costs that these are sent as."""
        if not texts:
            return 0
        return self.counter.message + self.counter.counts([summary_text(texts)], drafts=True)[0]

    def ids(self, numbers: Iterable[int]) -> list[str]:
        return [self.messages[number].id for number in numbers]
