"""A compaction in progress: the original history, the current cost, and the steps taken."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from functools import cached_property

from ...session.model import CONTINUATION, Json, Message, Part
from ...session.ops import Op, apply, drop, replace_shown, summarize
from ...session.view import View
from ...tokens.counter import Counter
from ...tokens.formula import cost_beside_messages, part_tokens, parts_tokens, unscaled_costs
from . import stubs
from .plan import Settings, Step
from .summary import OF_TOOLS, entries_of, stored_id
from .units import CHAT, WORK, Layout, Place, shape_of

LONG = 2_000  # characters above which an answer or a paste may be cut as a last resort
Change = tuple[Place, Part | None, str]  # new part, and why


class History:
    """The messages that are sent, by position, with unscaled costs; immutable."""

    def __init__(self, view: View, counter: Counter, settings: Settings) -> None:
        self.view = view
        self.counter = counter
        self.settings = settings
        self.messages: Sequence[Message] = view.sent
        self.tokens = part_tokens(counter, self.messages)
        self.costs = unscaled_costs(counter, self.messages, self.tokens)
        self.special: list[Place] = [  # parts that are not plain text
            (number, place)
            for number, message in enumerate(self.messages)
            for place, part in enumerate(message.parts)
            if len(part) > 1 or "text" not in part
        ]
        self.summaries = [summary.text for summary in view.summaries]
        self.summary_cost = self.cost_of_summaries(self.summaries)
        beside = cost_beside_messages(counter, settings.system, settings.tools, ())
        self.fixed_cost = counter.history + beside

    @cached_property
    def layout(self) -> Layout:
        """The units and what must stay; computed on first use."""
        return Layout(self.messages, self.settings.keep_last)

    @cached_property
    def shape(self) -> str:
        """The kind of conversation: WORK if an earlier summary mentions work with tools."""
        earlier = {line.kind for summary in self.view.summaries for line in entries_of(summary) or ()}
        return shape_of(self.messages) if earlier.isdisjoint(OF_TOOLS) else WORK

    @cached_property
    def least(self) -> dict[Place, Part | None]:
        """What is left, as a last resort, of results and long answers of the last unit, and of pastes."""
        least: dict[Place, Part | None] = {}
        layout = self.layout
        for number in sorted({*layout.last, *layout.prompts[-1:]} if layout.yielding else ()):
            message = self.messages[number]
            texts = ["" if part.get("thought") else part.get("text", "") for part in message.parts]
            longest = max(texts, key=len, default="")
            for place, (part, text) in enumerate(zip(message.parts, texts, strict=True)):
                if "functionResponse" in part and not stubs.is_bare(part):
                    least[number, place] = self.bare((number, place))
                elif text and message.role == "model" and sum(map(len, texts)) > LONG:
                    least[number, place] = self.bare((number, place)) if text is longest else None
                elif number in layout.prompts and len(text) > LONG and not stubs.is_stub(text):
                    own = stubs.shorten_prompt(part, message.id, 0)
                    least |= {(number, place): own} if len(own["text"]) < len(text) - LONG else {}
        return least

    @cached_property
    def fixed(self) -> int:
        """The cost of what must stay; parts of it may shrink as a last resort."""
        return self.fixed_cost + sum(self.costs[number] for number in self.layout.fixed)

    @cached_property
    def floor(self) -> int:
        """The least total that any compaction can reach, unless a summary is smaller than a mark."""
        sizes = parts_tokens(self.counter, [part or {} for part in self.least.values()])
        saved = [max(0, self.size(place) - size) for place, size in zip(self.least, sizes, strict=True)]
        summary = min(self.summary_cost, self.cost_of_summaries(self.bare_summaries))
        opening = 0 if self.summaries else self.opening(sorted(self.layout.fixed))
        # what a request adds before a model's message may be more than what goes
        return min(self.total, self.fixed - sum(saved) + summary + opening)

    @cached_property
    def total(self) -> int:
        """The cost of the whole request."""
        return Draft(self).total

    @property
    def bare_summaries(self) -> list[str]:
        """A mark in place of all summaries, if there are any."""
        ids = [stored_id(summary) for summary in self.view.summaries]
        return [stubs.mark(f"{len(ids)} summaries", ids[0])] if ids else []

    def results(self, numbers: Iterable[int]) -> list[Place]:
        """The results in these messages, and in a chat the answers."""
        return [
            (number, place)
            for number in numbers
            for place, part in enumerate(self.messages[number].parts)
            if "functionResponse" in part
            or (self.shape == CHAT and self.messages[number].role == "model" and part.keys() == {"text"})
        ]

    def opening(self, numbers: Sequence[int]) -> int:
        """The tokens of the message that a request adds if the first of these is the model's."""
        if not numbers or self.messages[numbers[0]].role != "model" or not self.counter.message:
            return 0
        return self.counter.message + self.counter.counts([CONTINUATION])[0]

    def part(self, place: Place) -> Part:
        return self.messages[place[0]].parts[place[1]]

    def size(self, place: Place) -> int:
        """The original tokens of a part."""
        return self.tokens[place[0]][place[1]]

    def bare(self, place: Place, why: str = "") -> Part:
        """Return the part reduced to a mark."""
        return stubs.bare(self.part(place), self.messages[place[0]].id, why)

    def shortened(self, place: Place, share: float) -> Part | None:
        """Return the part cut to about this share of its text; None if it was cut before."""
        part, id = self.part(place), self.messages[place[0]].id
        prompt = "text" in part and self.messages[place[0]].role == "user"
        return stubs.shorten_prompt(part, id, share) if prompt else stubs.shorten(part, id, share)

    def cost_of_summaries(self, texts: Sequence[str]) -> int:
        """The cost of the one message that sends these summaries."""
        return cost_beside_messages(self.counter, None, (), texts)

    def ids(self, numbers: Iterable[int]) -> list[str]:
        return [self.messages[number].id for number in numbers]


class Draft:
    """The state of a history during compaction, and its cost.

    Counts are unscaled, and `total` is exact: parts are counted when they are made, summaries as the one
    message that sends them. A stage takes steps until the draft `fits`.
    """

    def __init__(self, history: History, target: int = 0) -> None:
        self.history = history
        self.target = target
        self.costs = list(history.costs)  # current cost of each message
        self.summaries = history.summaries
        self.summary_cost = history.summary_cost
        self._total = history.fixed_cost + history.summary_cost + sum(history.costs)
        self._first = 0  # position of the first message that is left, or an earlier one
        self._steps: dict[object, Step] = {}  # replacements by place, others in order
        self.new: dict[Place, Part | None] = {}
        self._sizes: dict[Place, int] = {}  # of `new`
        self.gone: set[int] = set()
        self.to_summarize: set[int] = set()

    def fork(self) -> Draft:
        """Return an independent copy."""
        other = copy(self)
        for name in ("costs", "new", "gone", "to_summarize", "_sizes", "_steps"):
            setattr(other, name, copy(getattr(self, name)))
        return other

    @property
    def total(self) -> int:
        """The current cost of the request."""
        if self.summaries:
            return self._total
        while self._first in self.gone:
            self._first += 1
        return self._total + self.history.opening(range(self._first, len(self.history.messages)))

    @property
    def fits(self) -> bool:
        return self.total <= self.target

    def cost(self, numbers: Iterable[int]) -> int:
        """The current cost of these messages."""
        return sum(map(self.costs.__getitem__, numbers))

    def size(self, place: Place) -> int:
        """The current tokens of a part."""
        return self._sizes.get(place, self.history.size(place))

    def free(self, end: int | None = None) -> list[Place]:
        """The unchanged parts before message `end` that are not plain text and may be changed."""
        closed = self.gone | self.to_summarize | self.history.layout.fixed
        return [
            place for place in self.history.special
            if place[0] not in closed and place not in self.new and (end is None or place[0] < end)
        ]  # fmt: skip

    def savings(self, changes: Sequence[Change]) -> list[int]:
        """The tokens that each of these replacements saves, or 0."""
        sizes = parts_tokens(self.history.counter, [new or {} for _, new, _ in changes])
        return [max(0, self.size(place) - size) for (place, *_), size in zip(changes, sizes, strict=True)]

    def replace(self, stage: str, changes: Iterable[Change], *, whole: bool = False) -> None:
        """Make the replacements that save tokens, in order, until the draft fits, or all if `whole`."""
        changes = list(changes)
        for (place, new, why), saved in zip(changes, self.savings(changes), strict=True):
            if saved and (whole or not self.fits):
                op = replace_shown(self.history.messages[place[0]], place[1], new, why)
                self.new[place], self._sizes[place] = new, self.size(place) - saved
                self._step(place, op, stage, why, self.history.size(place), self._sizes[place])
                self.costs[place[0]] -= saved
                self._total -= saved

    def restore(self, stage: str) -> None:
        """Undo the replacements of a stage that the target has room for, the smallest first."""
        places = [place for place in self.new if self._steps[place].stage == stage]
        savings = [self.history.size(place) - self.size(place) for place in places]
        for saved, place in sorted(zip(savings, places, strict=True)):
            if self.total + saved <= self.target:
                del self._steps[place], self.new[place], self._sizes[place]
                self.costs[place[0]] += saved
                self._total += saved

    def drop(self, stage: str, numbers: Sequence[int], why: str) -> None:
        """Remove messages, which must be whole units."""
        before = self.cost(numbers)
        self._step(object(), drop(self.history.ids(numbers), why), stage, why, before, 0)
        self.gone.update(numbers)
        self._total -= before

    def summary_total(self, text: str, numbers: Collection[int], *, absorb: bool) -> int:
        """Return what the total would be with these messages summarised by this text."""
        _, texts = self._with(text, numbers, absorb=absorb)
        return self._total - self.cost(numbers) - self.summary_cost + self.history.cost_of_summaries(texts)

    def summarize(self, stage: str, numbers: Sequence[int], fields: Json, *, absorb: bool) -> None:
        """Replace messages by a summary of these fields, and with `absorb` the existing summaries too."""
        text = fields["summary"]
        ids, self.summaries = self._with(text, numbers, absorb=absorb)
        before = self.cost(numbers) + (self.summary_cost if absorb else 0)
        total = self.summary_total(text, numbers, absorb=absorb)
        times = [ts for number in numbers if (ts := self.history.messages[number].ts)]
        period = {"periodStart": min(times), "periodEnd": max(times)} if times else {}
        count = len(set(self.history.layout.prompts).intersection(numbers))
        op: Op = {**summarize(ids, text), **fields, "conversationCount": count, **period}  # type: ignore[typeddict-item]
        after = before - (self._total - total)
        self._step(object(), op, stage, "the oldest exchanges", before, after)
        self.summary_cost = self.history.cost_of_summaries(self.summaries)
        self.gone.update(numbers)
        self._total = total

    def _step(self, key: object, op: Op, stage: str, why: str, before: int, after: int) -> None:
        scale = self.history.counter.scale
        self._steps[key] = Step(op, stage, why, scale(before), scale(after))

    def _with(self, text: str, numbers: Iterable[int], *, absorb: bool) -> tuple[list[str], list[str]]:
        """Return what a new summary covers, and the texts of all summaries then, in view order."""
        view = self.history.view
        ids = [*self.history.ids(numbers), *(summary.id for summary in view.summaries if absorb)]
        if not (view.summaries or view.hidden_summaries):
            return ids, [text]
        return ids, [summary.text for summary in apply(view, [summarize(ids, text)]).summaries]

    def finished(self) -> list[Step]:
        """Return the steps, those of the last unit last, without replacements inside removed messages.

        Raises RuntimeError, so that nothing is written, if a message was removed twice or in part.
        """
        steps = [
            step for key, step in self._steps.items()
            if not isinstance(key, tuple) or key[0] not in self.gone
        ]  # fmt: skip
        summaries = {summary.id for summary in self.history.view.summaries}
        removed = [id for step in steps for id in step.op.get("ids", ()) if id not in summaries]
        if sorted(removed) != sorted(self.history.ids(self.gone)):
            raise RuntimeError("a compaction lost count of its messages")
        return sorted(steps, key=lambda step: step.stage == "last-unit")  # which makes room for the others
