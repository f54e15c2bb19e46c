"""A compaction in progress: the original history, the current cost, and the steps taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from ...session.model import CONTINUATION, Json, Message, Part, Summary
from ...session.ops import NEXT, Op, drop, replace_shown, summarize
from ...session.view import View, arrange
from ...summaries.authorship import rows
from ...tokens.counter import Counter
from ...tokens.formula import cost_beside_messages, part_tokens, parts_tokens, summary_text, unscaled_costs
from . import stubs
from .plan import Settings, Step
from .summary import OF_TOOLS, entries_of
from .units import WORK, Layout, Place, shape_of

LATEST = 1 << 62  # position of a record not yet written
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
        self.fixed_cost = counter.history + cost_beside_messages(
            counter, settings.system, settings.tools, ()
        )
        self.bare_total = self.fixed_cost + self.summary_cost + sum(self.costs)
        self.total = self.bare_total + (0 if self.summaries else self.opening(range(len(self.messages))))

    @cached_property
    def layout(self) -> Layout:
        """The units and what must stay; computed on first use."""
        return Layout(self.messages, self.settings.keep_last)

    @cached_property
    def shape(self) -> str:
        """The kind of conversation: WORK if an earlier summary mentions work with tools."""
        earlier = {line.kind for summary in self.view.summaries for line in entries_of(summary) or ()}
        return shape_of(self.messages) if earlier.isdisjoint(OF_TOOLS) else WORK

    @property
    def yielding(self) -> list[Place]:
        """Parts that may shrink as a last resort: results and answers of the last unit, and long pastes."""
        layout, places = self.layout, list[Place]()
        prompt = [] if layout.prompt is None else [layout.prompt]
        for number in sorted({*layout.last, *prompt} if layout.yielding else ()):
            message = self.messages[number]
            texts = ["" if part.get("thought") else part.get("text", "") for part in message.parts]
            for place, (part, text) in enumerate(zip(message.parts, texts, strict=True)):
                if message.role == "model":
                    may = text != "" and (sum(map(len, texts)) > LONG or stubs.is_stub(text))
                elif number == layout.prompt:
                    pasted = sum(len(line) for line, own, _ in rows(text, len(text)) if not own)
                    may = len(text) > LONG and (stubs.is_stub(text) or pasted > LONG)
                else:
                    may = "functionResponse" in part
                places += [(number, place)] if may else ()
        return places

    def opening(self, numbers: Iterable[int]) -> int:
        """The tokens of the message that a request adds if the first of these is the model's."""
        first = next(iter(numbers), None)
        if first is None or self.messages[first].role != "model" or not self.counter.message:
            return 0
        return self.counter.message + self.counter.counts([CONTINUATION])[0]

    def part(self, place: Place) -> Part:
        return self.messages[place[0]].parts[place[1]]

    def shortened(self, place: Place, share: float) -> Part | None:
        """Return the part cut to about this share of its text; None if it is short or already cut."""
        part, id = self.part(place), self.messages[place[0]].id
        length = stubs.length(part)
        return stubs.shorten(part, id, int(share * length), self._author_lines(place)) if length else None

    def bare(self, place: Place) -> Part | None:
        """Return a part reduced to a mark; None for all but the longest text of a model message."""
        message = self.messages[place[0]]
        texts = ["" if part.get("thought") else part.get("text", "") for part in message.parts]
        if message.role == "model" and place[1] != texts.index(max(texts, key=len)):
            return None
        return stubs.bare(self.part(place), "", self.messages[place[0]].id, self._author_lines(place))

    def _author_lines(self, place: Place) -> list[int]:
        """The lines of a prompt that its author wrote."""
        text = self.part(place).get("text") if place[0] == self.layout.prompt else None
        return stubs.author_lines(text) if text else []

    def cost_of_summaries(self, texts: Sequence[str]) -> int:
        """The cost of the one message that sends these summaries."""
        if not texts:
            return 0
        return self.counter.message + self.counter.counts([summary_text(texts)])[0]

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
        self._total = history.bare_total
        self._first = 0  # position of the first message that is left, or an earlier one
        self.tokens = list(history.tokens)  # current cost of each part
        self.now = list(history.costs)  # current cost of each message
        self.summaries = history.summaries
        self.summary_cost = history.summary_cost
        self._steps: dict[object, Step] = {}  # replacements by place, others by number
        self.new: dict[Place, Part | None] = {}
        self.gone: set[int] = set()
        self.to_summarize: set[int] = set()  # gets no stubs

    def fork(self) -> Draft:
        """Return an independent copy of the draft."""
        other = Draft.__new__(Draft)
        vars(other).update(vars(self))
        for name in ("tokens", "now", "_steps", "new", "gone", "to_summarize"):
            setattr(other, name, getattr(self, name).copy())
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

    def costs(self, numbers: Iterable[int]) -> int:
        """The current cost of these messages."""
        return sum(map(self.now.__getitem__, numbers))

    def size(self, place: Place) -> int:
        """The current tokens of a part."""
        return self.tokens[place[0]][place[1]]

    def open(self, places: Iterable[Place]) -> list[Place]:
        """Return those of these parts that are unchanged and in a message that stays."""
        leaving = self.gone | self.to_summarize
        return [place for place in places if place[0] not in leaving and place not in self.new]

    def free(self, end: int | None = None) -> list[Place]:
        """The open parts before message `end` that are not plain text and may be changed."""
        fixed = self.history.layout.fixed
        end = len(self.history.messages) if end is None else end
        return self.open(
            place for place in self.history.special if place[0] < end and place[0] not in fixed
        )

    def replace_while_large(self, stage: str, changes: Iterable[Change], *, whole: bool = False) -> None:
        """Make these replacements in order until the draft fits, or all of them if `whole`."""
        if self.fits:
            return
        pending = list(changes)
        sizes = iter(parts_tokens(self.history.counter, [new for _, new, _ in pending if new is not None]))
        for place, new, why in pending:
            after = 0 if new is None else next(sizes)
            if whole or not self.fits:
                self.replace(stage, place, new, after, why)

    def replace(self, stage: str, place: Place, new: Part | None, after: int, why: str) -> None:
        """Replace a part by `new`, which has `after` tokens; do nothing if that is not smaller."""
        number, part = place
        now = self.tokens[number][part]
        if after >= now:
            return
        before = self._steps[place].before if place in self._steps else now
        op: Op = {"op": "replace", "id": self.history.messages[number].id}
        self._steps[place] = Step(op, stage, why, before, after)
        self.new[place] = new
        self.tokens[number] = [*self.tokens[number]]  # do not change the history's list
        self.tokens[number][part] = after
        self.now[number] -= now - after
        self._total -= now - after

    def drop(self, stage: str, numbers: Sequence[int], why: str) -> None:
        """Remove messages, which must be whole units."""
        before = self.costs(numbers)
        self._steps[len(self._steps)] = Step(drop(self.history.ids(numbers), why), stage, why, before, 0)
        self.gone.update(numbers)
        self._total -= before

    def summary_total(self, text: str, numbers: Iterable[int], *, absorb: bool) -> int:
        """Return what the total would be with these messages summarised by this text."""
        numbers = list(numbers)
        texts = self._texts_with(text, self._covered(numbers, absorb=absorb))
        return self._total - self.costs(numbers) - self.summary_cost + self.history.cost_of_summaries(texts)

    def summarize(self, stage: str, numbers: Sequence[int], fields: Json, *, absorb: bool) -> None:
        """Replace messages by a summary, and with `absorb` the existing summaries too.

        `fields` has its text (`summary`) and, if it consists of lines, its `lines`.
        """
        text = fields["summary"]
        ids = self._covered(numbers, absorb=absorb)
        before = self.costs(numbers) + (self.summary_cost if absorb else 0)
        total = self.summary_total(text, numbers, absorb=absorb)
        times = [ts for number in numbers if (ts := self.history.messages[number].ts)]
        period = {"periodStart": min(times), "periodEnd": max(times)} if times else {}
        count = len(set(self.history.layout.prompts).intersection(numbers))
        op: Op = {**summarize(ids, text), **fields, "conversationCount": count, **period}  # type: ignore[typeddict-item]
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
        """The texts of all summaries with a new one, in view order."""
        view = self.history.view
        if not (view.summaries or view.hidden_summaries):
            return [text]
        new = Summary(fields={"id": NEXT, "summary": text, "covers": covers}, place=LATEST, raw=None)
        older = [summary for summary in view.hidden_summaries if not summary.cleared]
        return [summary.text for summary in arrange([*view.summaries, *older, new], view.all)[0]]

    def finished(self) -> list[Step]:
        """Return the steps by stage, without replacements inside removed messages.

        Replaced parts are hashed only now, because most replacements are superseded. Raises RuntimeError,
        so that nothing is written, if a message was removed twice or in part.
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
        return sorted(steps, key=lambda step: step.stage == "last-unit")  # which makes room for the others
