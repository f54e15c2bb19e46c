"""The stages that take whole units out: one summary of what is older than the newest turns, then drop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter

from ...summaries.calls import Effects, Memo, effects
from . import recent, stubs
from .choice import earlier, entries, names, ranked
from .draft import Draft
from .extent import Extent
from .ledger import ledger
from .line import Line
from .lines import Reader
from .summary import Entry, entries_of, fields_of, opaque, rendered
from .words import upto
from .worth import Worth

# In place, where the next compaction needs something to take: of the target, what all summaries may take.
ALL_SHARE = 0.5
FOREIGN_SHARE = 0.4  # of the target: what summaries written elsewhere may take before they are taken in
LEAST = 40  # tokens below which a summary says nothing
MOST_SUMMARIES = 5  # beyond, those written elsewhere are taken in
TRIES = 6
SLACK = 0.02  # of the target: what a summary may leave before more of the newest turns stay
MOST = 1 << 20  # summaries, and lines of one: what is told of them stands before all messages
UNFILLED = 0.01  # of the room: what a summary may leave empty
CUT = 0.7  # of the room: where a part of a history was read and is no more too long, the oldest of it goes
SPARE = 1.2  # of the room: for how much lines are chosen, should they cost less than estimated


def summarize(draft: Draft) -> None:
    """Put one summary in the place of all that is to go, and of the summaries written here before.

    Where it needs less room than there is, more of the newest turns stay.
    """
    absorb = bool(draft.summaries) and (
        any(entries_of(summary) is not None for summary in draft.history.view.summaries)
        or len(draft.summaries) >= MOST_SUMMARIES
        or draft.summary_cost > draft.target * FOREIGN_SHARE
    )
    telling = Telling(draft, absorb=absorb)
    if telling.room < LEAST or not (telling.covered or absorb):
        return
    while telling.spare > draft.target * SLACK and recent.extend(draft, telling.spare):
        telling.measure()
    for _ in range(TRIES):
        chosen, left = telling.fitting()
        if left <= draft.target * SLACK or not recent.extend(draft, left):
            break
        telling.measure()
    if chosen:
        draft.summarize("summary", telling.covered, fields_of(chosen, work=telling.work), absorb=absorb)


class Telling:
    """What is to be told of the messages that are to go, and the room for it; `absorb`: of summaries."""

    def __init__(self, draft: Draft, *, absorb: bool) -> None:
        self._draft = draft
        self._absorb = absorb
        self._ids: dict[int, str] = {}  # of the lines of earlier summaries: number → message id
        self.measure()

    def measure(self) -> None:
        """Look at the draft again: more of it may stay."""
        draft, absorb = self._draft, self._absorb
        self.covered = sorted(draft.doomed)
        self._beside = draft.summary_total("", self.covered, absorb=absorb)
        self.room = draft.target - self._beside
        if draft.history.settings.hysteresis:
            others = 0 if absorb else draft.summary_cost
            self.room = min(self.room, int(draft.target * ALL_SHARE) - others)
        self._lines = self._read()
        self._once = _once(self._lines)
        self.spare = int(self.room - sum([line.cost for line in self._once]))  # should all be told

    def fitting(self) -> tuple[list[Entry], int]:
        """The lines of the summary that fills the room best, and what it leaves of it."""
        for place, line in enumerate(self._lines):
            line.place = place
        chosen = self._chosen()
        best, unused = list[Entry](), self.room
        low, high, count = 0, len(chosen), len([*upto(self.room, chosen, attrgetter("cost"))])
        bisected = False  # where estimates came to nothing that fits
        for tries in range(1, TRIES + len(chosen).bit_length() + 1):
            lines = entries(chosen[:count], self._id)
            text = rendered(lines, work=self.work)
            left = self.room + self._beside
            left -= self._draft.summary_total(text, self.covered, absorb=self._absorb)
            if left >= 0:
                best, unused, low = lines, left, count
            else:
                high = count - 1
            bisected = bisected or (tries >= TRIES and not best)
            if 0 <= left <= self.room * UNFILLED or low >= high or (tries >= TRIES and not bisected):
                break
            nearer = (low + high) // 2 if bisected else count + int(left * count / self.room)
            count = min(high, max(low + 1, nearer))
        return best, unused

    @property
    def work(self) -> bool:
        """Whether tools are at work in it, or people talk."""
        return any(line.kind in ("called", "gave", "ledger") for line in self._lines)

    def _id(self, number: int) -> str:
        """The id of the message that a line is of."""
        return self._ids[number] if number < 0 else self._draft.history.messages[number].id

    def _chosen(self) -> list[Line]:
        """The lines to be told, what is kept longest first."""
        if self.spare < -self.room * (0 if self._reader.extent.whole else CUT):
            symbols = names(self._lines, self._draft.history.words)
            for place, line in enumerate(symbols, len(self._lines)):
                line.place = place
            return ranked([*self._once, *symbols], self._worth([*self._lines, *symbols]), self.room * SPARE)
        return sorted(self._once, key=lambda line: (not line.topic, line.kind != "asked", -line.place))

    @cached_property
    def _told(self) -> tuple[list[Line], list[Line]]:
        """The lines of earlier summaries, and those of the ledger: what all calls came to."""
        history = self._draft.history
        done = Effects()
        lines: list[Line] = []
        for age, summary in enumerate(history.view.summaries if self._absorb else (), -MOST):
            some = entries_of(summary)
            some = opaque(summary) if some is None else some
            self._ids.update((row, line.id) for row, line in enumerate(some, age * MOST))
            lines += earlier(some, done, age * MOST)
        memo = history.view.memo.setdefault("calls", Memo())
        done = effects(history.messages, history.layout.pairing, done if self._absorb else None, memo)
        return lines, ledger(done)

    @cached_property
    def _reader(self) -> Reader:
        history = self._draft.history
        extent = Extent(
            history.tokens, set(history.layout.prompts), history.counter.characters, self.covered, self.room
        )
        return Reader(
            history.messages, history.past.joined.calls, history.tokens, extent, history.past.read,
            history.counter.cache, terse=history.settings.terse,
        )  # fmt: skip

    @cached_property
    def _all(self) -> list[Line]:
        """The lines of all that was to go at first, each read once, and of the ledger."""
        _, noted = self._told
        return [*self._reader.all(self.covered), *noted]

    def _read(self) -> list[Line]:
        """The lines of earlier summaries, and of all that still is to go."""
        here = self._draft.doomed
        rest = [line for line in self._all if line.number < 0 or line.number in here]
        return [*self._told[0], *rest]

    def _worth(self, lines: Sequence[Line]) -> Worth:
        """What these lines are worth beside the messages that stay."""
        draft = self._draft
        share = self.room / max(1.0, sum([line.cost for line in lines]))
        worth = Worth(draft.history.words, lines, min(1.0, share))
        worth.know(draft.history.words.within(draft.pieces()))
        return worth


def _once(lines: Sequence[Line]) -> list[Line]:
    """Each text once, where it came last."""
    return list({(line.text.strip(), line.topic): line for line in lines}.values())


def drop(draft: Draft) -> None:
    """Drop whole units, oldest first."""
    for group in draft.history.layout.groups:
        for unit in draft.history.layout.units_of(group):
            if not draft.fits and not draft.gone.intersection(unit):
                draft.drop("drop", unit, "the oldest unit")
    forget(draft)


def forget(draft: Draft) -> None:
    """Leave nothing but a mark of the summaries there are."""
    if not draft.fits and draft.summaries:
        text = _bare(draft)
        if draft.summary_total(text, (), absorb=True) < draft.total:
            draft.summarize("drop", (), {"summary": text}, absorb=True)


def least_summary(draft: Draft) -> int:
    """What the summaries there are cost when nothing but a mark stands for them."""
    if not draft.history.view.summaries:
        return 0
    return draft.history.cost_of_summaries([_bare(draft)])


def _bare(draft: Draft) -> str:
    first = draft.history.view.summaries[0].id
    return stubs.mark(f"{len(draft.history.view.summaries)} summaries", first)
