"""A compaction in the making: what the context costs now, and the steps taken so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...session.model import Json, Part, Summary
from ...session.ops import NEXT, Op, drop, replace_shown, summarize
from ...session.view import arrange
from .history import History, Place
from .plan import Step

LATEST = 1 << 62  # the place of what is yet to be written
Change = tuple[Place, Part | None, str]  # what to put there, and why


class Draft:
    """What becomes of a history, and what it costs so far.

    All counts are unscaled. `total` is exact at every moment: parts are counted as they are made, the
    summaries as the one record they are sent as. A stage asks `fits` and takes steps until it does.
    """

    def __init__(self, history: History, target: int = 0) -> None:
        self.history = history
        self.target = target
        self.level = 0  # the tokens of a stub, on average
        self._total = history.bare_total
        self._first = 0  # nothing before is still there
        self.tokens = list(history.tokens)  # what each part costs now
        self.now = list(history.costs)  # and each message
        self.summaries = history.summaries
        self.summary_cost = history.summary_cost
        self.steps: list[Step] = []
        self.new: dict[Place, Part | None] = {}
        self.step_of: dict[Place, int] = {}
        self.gone: set[int] = set()
        self.doomed: set[int] = set()  # what is sure to be summarised: no stubs are made for it

    def fork(self) -> Draft:
        """The same so far, to be tried further; this one stays as it is."""
        other = Draft.__new__(Draft)
        vars(other).update(vars(self))
        for name in ("tokens", "now", "steps", "new", "step_of", "gone", "doomed"):
            setattr(other, name, getattr(self, name).copy())
        return other

    @property
    def total(self) -> int:
        """What the context costs now, what a request adds to it included."""
        if self.summaries:
            return self._total
        while self._first in self.gone:
            self._first += 1
        return self._total + self.history.opening(range(self._first, len(self.history.messages)))

    @property
    def fits(self) -> bool:
        return self.total <= self.target

    def costs(self, numbers: Iterable[int]) -> int:
        """What these messages cost now."""
        return sum(map(self.now.__getitem__, numbers))

    def open(self, places: Iterable[Place]) -> list[Place]:
        """Those of the parts that are still as they were, and stay in the context."""
        out = self.gone | self.doomed
        return [place for place in places if place[0] not in out and place not in self.new]

    def free(self, end: int | None = None) -> list[Place]:
        """The open parts (before the message `end`) that are no plain text, and may be changed."""
        fixed = self.history.layout.fixed
        end = len(self.history.messages) if end is None else end
        return self.open(
            place for place in self.history.special if place[0] < end and place[0] not in fixed
        )

    def replace_while_large(self, stage: str, changes: Iterable[Change], *, whole: bool = False) -> None:
        """Take these replacements, oldest first, until it fits (`whole`: all of them)."""
        if self.fits:
            return
        pending = list(changes)
        for (place, new, why), after in zip(pending, self.history.sizes(pending), strict=True):
            if whole or not self.fits:
                self.replace(stage, place, new, after, why)

    def replace(self, stage: str, place: Place, new: Part | None, after: int, why: str) -> None:
        """Put `new` (of `after` tokens) in a part's place; nothing happens where that is not smaller."""
        number, part = place
        now = self.tokens[number][part]
        if after >= now:
            return
        earlier = self.step_of.setdefault(place, len(self.steps))
        before = now if earlier == len(self.steps) else self.steps[earlier].before
        op: Op = {"op": "replace", "id": self.history.messages[number].id}
        self.steps[earlier : earlier + 1] = [Step(op, stage, why, before, after)]
        self.new[place] = new
        self.tokens[number] = [*self.tokens[number]]  # the history's stay
        self.tokens[number][part] = after
        self.now[number] -= now - after
        self._total -= now - after

    def drop(self, stage: str, numbers: Sequence[int], why: str) -> None:
        """Remove messages; they must be whole units."""
        before = self.costs(numbers)
        ids = self.history.ids(numbers)
        self.steps.append(Step(drop(ids, why), stage, why, before, 0))
        self.gone.update(numbers)
        self._total -= before

    def summary_total(self, text: str, numbers: Iterable[int], *, absorb: bool) -> int:
        """What the total would be with these messages summarised by this text."""
        numbers = list(numbers)
        texts = self._texts_with(text, numbers, absorb=absorb)
        return self._total - self.costs(numbers) - self.summary_cost + self.history.cost_of_summaries(texts)

    def summarize(self, stage: str, numbers: Sequence[int], fields: Json, *, absorb: bool) -> None:
        """Put a summary in the place of messages, and of the summaries there are with `absorb`.

        `fields` are its text (`summary`) and, of one that is made of lines, its `lines`.
        """
        text = fields["summary"]
        ids = self._covered(numbers, absorb=absorb)
        before = self.costs(numbers) + (self.summary_cost if absorb else 0)
        total = self.summary_total(text, numbers, absorb=absorb)
        op: Op = {**summarize(ids, text), **fields, **self._period(numbers)}  # type: ignore[typeddict-item]
        why = "the oldest exchanges"
        self.steps.append(Step(op, stage, why, before, before - (self._total - total)))
        self.summaries = self._texts_with(text, numbers, absorb=absorb)
        self.summary_cost = self.history.cost_of_summaries(self.summaries)
        self.gone.update(numbers)
        self._total = total

    def _covered(self, numbers: Iterable[int], *, absorb: bool) -> list[str]:
        absorbed = [summary.id for summary in self.history.view.summaries] if absorb else []
        return [*self.history.ids(numbers), *absorbed]

    def _texts_with(self, text: str, numbers: Iterable[int], *, absorb: bool) -> list[str]:
        """The texts of the summaries with a new one, in the order that the view gives them."""
        if not (self.history.view.summaries or self.history.view.hidden_summaries):
            return [text]
        covers = self._covered(numbers, absorb=absorb)
        new = Summary(fields={"id": NEXT, "summary": text, "covers": covers}, place=LATEST, raw=None)
        older = [summary for summary in self.history.view.hidden_summaries if not summary.cleared]
        return [
            summary.text
            for summary in arrange([*self.history.view.summaries, *older, new], self.history.view.all)[0]
        ]

    def _period(self, numbers: Sequence[int]) -> dict[str, object]:
        times = [ts for number in numbers if (ts := self.history.messages[number].ts)]
        count = len(set(self.history.layout.prompts).intersection(numbers))
        fields: dict[str, object] = {"conversationCount": count}
        if times:
            fields |= {"periodStart": min(times), "periodEnd": max(times)}
        return fields

    def finished(self) -> list[Step]:
        """The steps, without replacements inside messages that were removed after all.

        What they replace is hashed here alone: most replacements do not come to stand.
        Raises RuntimeError, and so writes nothing, should a message have been removed twice or halfway.
        """
        gone = set(self.history.ids(self.gone))
        place_of = {number: place for place, number in self.step_of.items()}
        steps = [
            step._replace(op=self._replacing(place_of[number], step.why)) if number in place_of else step
            for number, step in enumerate(self.steps)
            if step.op["op"] != "replace" or step.op["id"] not in gone
        ]
        known = {summary.id for summary in self.history.view.summaries}
        removed = [id for step in steps if "ids" in step.op for id in step.op["ids"] if id not in known]
        if len(removed) != len(gone) or set(removed) != gone:
            raise RuntimeError("a compaction lost count of its messages")
        if self.history.counter.factor == 1:
            return steps
        scale = self.history.counter.scale
        return [Step(s.op, s.stage, s.why, scale(s.before or 0), scale(s.after or 0)) for s in steps]

    def _replacing(self, place: Place, why: str) -> Op:
        """The op that puts what is there now in this part's place."""
        return replace_shown(self.history.messages[place[0]], place[1], self.new[place], why)
