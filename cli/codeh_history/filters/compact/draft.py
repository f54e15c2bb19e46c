"""A compaction in the making: the history as it came, what it costs now, and the steps taken so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from ...session.model import CONTINUATION, Json, Message, Part, Summary
from ...session.ops import NEXT, Op, drop, replace_shown, summarize
from ...session.view import View, arrange
from ...summaries.own_words import rows
from ...tokens import Counter, part_tokens, parts_tokens, summary_text
from ...tokens.formula import overhead, sent, unscaled
from . import stubs
from .plan import Settings, Step
from .summary import OF_TOOLS, entries_of
from .units import WORK, Layout, Place, shape_of

LATEST = 1 << 62  # the place of what is yet to be written
LONG = 2_000  # characters of an answer, or pasted into a prompt, that may be shortened at the very end
Change = tuple[Place, Part | None, str]  # what to put there, and why


class History:
    """The messages that are sent, by position, and their costs, unscaled; nothing of it changes."""

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
        """Units and what must stay; worked out where something has to be done."""
        return Layout(self.messages, self.settings.keep_last)

    @cached_property
    def shape(self) -> str:
        """Which kind of conversation it is; tools that an earlier summary lists are still at work."""
        earlier = {line.kind for summary in self.view.summaries for line in entries_of(summary) or ()}
        return shape_of(self.messages) if earlier.isdisjoint(OF_TOOLS) else WORK

    @property
    def yielding(self) -> list[Place]:
        """What may shrink at the very end: results and long answers of the last unit, and what is pasted
        into the last prompt.
        """
        layout, places = self.layout, list[Place]()
        prompt = [] if layout.prompt is None else [layout.prompt]
        for number in sorted({*layout.last, *prompt} if layout.yielding else ()):
            message = self.messages[number]
            texts = ["" if part.get("thought") else part.get("text", "") for part in message.parts]
            for place, (part, text) in enumerate(zip(message.parts, texts, strict=True)):
                if message.role == "model":
                    may = text != "" and (sum(map(len, texts)) > LONG or stubs.is_stub(text))
                elif number == layout.prompt:
                    may = len(text) > LONG and (stubs.is_stub(text) or _pasted(text) > LONG)
                else:
                    may = "functionResponse" in part
                places += [(number, place)] if may else ()
        return places

    def opening(self, numbers: Iterable[int]) -> int:
        """What a request adds that would begin with a model's message, were these its messages."""
        first = next(iter(numbers), None)
        if first is None or self.messages[first].role != "model" or not self.counter.message:
            return 0
        return self.counter.message + self.counter.counts([CONTINUATION])[0]

    def part(self, place: Place) -> Part:
        return self.messages[place[0]].parts[place[1]]

    def shortened(self, place: Place, room: int, *, errors: bool = True) -> Part | None:
        """The part in about `room` characters; None where it was cut before, or nothing in it is long."""
        part, id = self.part(place), self.messages[place[0]].id
        if not stubs.length(part):
            return None
        return stubs.shorten(part, id, room, errors=errors, own=self._own(place))

    def bare(self, place: Place) -> Part | None:
        """The least that may be left of a part; of a model's many texts the longest becomes the mark."""
        message = self.messages[place[0]]
        texts = ["" if part.get("thought") else part.get("text", "") for part in message.parts]
        if message.role == "model" and place[1] != texts.index(max(texts, key=len)):
            return None
        return stubs.bare(self.part(place), "", self.messages[place[0]].id, self._own(place))

    def _own(self, place: Place) -> list[int]:
        """The lines of a prompt that are its author's own words."""
        text = self.part(place).get("text") if place[0] == self.layout.prompt else None
        return stubs.own_lines(text) if text else []

    def cost_of_summaries(self, texts: Sequence[str]) -> int:
        """What the one record costs that these are sent as."""
        if not texts:
            return 0
        return self.counter.message + self.counter.counts([summary_text(texts)])[0]

    def ids(self, numbers: Iterable[int]) -> list[str]:
        return [self.messages[number].id for number in numbers]


def _pasted(text: str) -> int:
    """Characters of a prompt that are not its author's own words."""
    return sum(len(line) for line, own, _ in rows(text, len(text)) if not own)


class Draft:
    """What becomes of a history, and what it costs so far.

    All counts are unscaled. `total` is exact at every moment: parts are counted as they are made, the
    summaries as the one record they are sent as. A stage asks `fits` and takes steps until it does.
    """

    def __init__(self, history: History, target: int = 0) -> None:
        self.history = history
        self.target = target
        self._total = history.bare_total
        self._first = 0  # nothing before is still there
        self.tokens = list(history.tokens)  # what each part costs now
        self.now = list(history.costs)  # and each message
        self.summaries = history.summaries
        self.summary_cost = history.summary_cost
        self._steps: dict[object, Step] = {}  # replacements by their place, others by a number
        self.new: dict[Place, Part | None] = {}
        self.gone: set[int] = set()
        self.doomed: set[int] = set()  # what is sure to be summarised: no stubs are made for it

    def fork(self) -> Draft:
        """The same so far, to be tried further; this one stays as it is."""
        other = Draft.__new__(Draft)
        vars(other).update(vars(self))
        for name in ("tokens", "now", "_steps", "new", "gone", "doomed"):
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
        sizes = iter(parts_tokens(self.history.counter, [new for _, new, _ in pending if new is not None]))
        for place, new, why in pending:
            after = 0 if new is None else next(sizes)
            if whole or not self.fits:
                self.replace(stage, place, new, after, why)

    def replace(self, stage: str, place: Place, new: Part | None, after: int, why: str) -> None:
        """Put `new` (of `after` tokens) in a part's place; nothing happens where that is not smaller."""
        number, part = place
        now = self.tokens[number][part]
        if after >= now:
            return
        before = self._steps[place].before if place in self._steps else now
        op: Op = {"op": "replace", "id": self.history.messages[number].id}
        self._steps[place] = Step(op, stage, why, before, after)
        self.new[place] = new
        self.tokens[number] = [*self.tokens[number]]  # the history's stay
        self.tokens[number][part] = after
        self.now[number] -= now - after
        self._total -= now - after

    def drop(self, stage: str, numbers: Sequence[int], why: str) -> None:
        """Remove messages; they must be whole units."""
        before = self.costs(numbers)
        self._steps[len(self._steps)] = Step(drop(self.history.ids(numbers), why), stage, why, before, 0)
        self.gone.update(numbers)
        self._total -= before

    def summary_total(self, text: str, numbers: Iterable[int], *, absorb: bool) -> int:
        """What the total would be with these messages summarised by this text."""
        numbers = list(numbers)
        texts = self._texts_with(text, self._covered(numbers, absorb=absorb))
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
        after = before - (self._total - total)
        self._steps[len(self._steps)] = Step(op, stage, "the oldest exchanges", before, after)
        self.summaries = self._texts_with(text, ids)
        self.summary_cost = self.history.cost_of_summaries(self.summaries)
        self.gone.update(numbers)
        self._total = total

    def _covered(self, numbers: Iterable[int], *, absorb: bool) -> list[str]:
        absorbed = [summary.id for summary in self.history.view.summaries] if absorb else []
        return [*self.history.ids(numbers), *absorbed]

    def _texts_with(self, text: str, covers: list[str]) -> list[str]:
        """The texts of the summaries with a new one, in the order that the view gives them."""
        view = self.history.view
        if not (view.summaries or view.hidden_summaries):
            return [text]
        new = Summary(fields={"id": NEXT, "summary": text, "covers": covers}, place=LATEST, raw=None)
        older = [summary for summary in view.hidden_summaries if not summary.cleared]
        return [summary.text for summary in arrange([*view.summaries, *older, new], view.all)[0]]

    def _period(self, numbers: Sequence[int]) -> dict[str, object]:
        times = [ts for number in numbers if (ts := self.history.messages[number].ts)]
        count = len(set(self.history.layout.prompts).intersection(numbers))
        period = {"periodStart": min(times), "periodEnd": max(times)} if times else {}
        return {"conversationCount": count, **period}

    def finished(self) -> list[Step]:
        """The steps, without replacements inside messages that were removed after all.

        What they replace is hashed here alone: most replacements do not come to stand.
        Raises RuntimeError, and so writes nothing, should a message have been removed twice or halfway.
        """
        gone = set(self.history.ids(self.gone))
        scale, view = self.history.counter.scale, self.history.view
        steps: list[Step] = []
        for place, step in self._steps.items():
            op = step.op
            if isinstance(place, tuple):
                if place[0] in self.gone:
                    continue
                message = self.history.messages[place[0]]
                op = replace_shown(message, place[1], self.new[place], step.why)
            steps.append(Step(op, step.stage, step.why, scale(step.before or 0), scale(step.after or 0)))
        summaries = {summary.id for summary in view.summaries}
        removed = [id for step in steps if "ids" in step.op for id in step.op["ids"] if id not in summaries]
        if len(removed) != len(gone) or set(removed) != gone:
            raise RuntimeError("a compaction lost count of its messages")
        return steps
