"""The stages that take whole units out: one summary of what is older than the newest turns, then drop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from ...session.labels import PASTED, USER
from ...session.model import Json, Summary
from ...summaries import cues
from ...summaries.calls import Effects, effects
from . import recent, stubs
from .choose import Chooser, choose, names
from .draft import Draft
from .ledger import failed_before, ledger
from .lines import PROSE, Line, Reader, texts_of
from .summary import Entry, entries_of, entry, fields_of, joined, opaque
from .units import WORK
from .words import Vocabulary, upto

ALL_SHARE = 0.5  # in place, where the next compaction needs something to take: of the target
MOST_SUMMARIES = 5  # beyond, those written elsewhere are taken in
LEAST = 40  # tokens below which a summary says nothing
SLACK = 0.03  # of the target: what a summary may leave before more of the newest turns stay
SPARE = 1.2  # of the room: for how much lines are chosen, should they cost less than estimated
TRIES = 4  # to find how many of them fit
SHORTER = 0.9  # of the lines, where even that did not do
UNFILLED = 0.01  # of the room: what a summary may leave empty
KINDS = {"called": "shown", "gave": "shown"}  # a line's kind → an entry's, where they differ
LEDGER = ("file", "done", "failed")


def summarize(draft: Draft) -> None:
    """Put one summary in the place of all that is to go, and of the summaries written here before.

    Where it needs less room than there is, more of the newest turns stay.
    """
    absorb = bool(draft.summaries) and (
        any(entries_of(summary) is not None for summary in draft.history.view.summaries)
        or len(draft.summaries) >= MOST_SUMMARIES
        or draft.summary_cost > draft.target * recent.FOREIGN
    )
    extract = Extract(draft, absorb=absorb)
    if extract.room < LEAST or not (extract.covered or absorb):
        return
    for _ in range(TRIES):
        fields, left = extract.written()
        if left <= draft.target * SLACK or not recent.extend(draft, left):
            break
        extract.measure()
    if fields is not None:
        draft.summarize("summary", extract.covered, fields, absorb=absorb)


class Extract:
    """The lines of what is to go, and the room for them; `absorb`: those of earlier summaries too."""

    def __init__(self, draft: Draft, *, absorb: bool) -> None:
        self._draft = draft
        self._absorb = absorb
        self._work = draft.history.shape == WORK
        self._vocabulary = Vocabulary()
        self.measure()
        self._lines = [*self._earlier_and_ledger(), *self._read()]
        self._topics = [line.topic for line in self._lines]

    def measure(self) -> None:
        """Look at the draft again: more of it may stay."""
        draft = self._draft
        self.covered = sorted(draft.doomed)
        self._beside = draft.summary_total("", self.covered, absorb=self._absorb)
        self.room = draft.target - self._beside
        if draft.history.settings.hysteresis:
            others = 0 if self._absorb else draft.summary_cost
            self.room = min(self.room, int(draft.target * ALL_SHARE) - others)

    def written(self) -> tuple[Json | None, int]:
        """The summary that fills the room best, and what it leaves of the budget; None if nothing fits."""
        chosen = self._chosen()
        best: Json | None = None
        used, room = 0, self.room * 1.0
        for tries in range(1, 4 * TRIES):
            count = len([*upto(room, chosen, attrgetter("cost"))])
            fields = fields_of(entries(chosen[:count]), work=self._work)
            cost = (
                self._draft.summary_total(fields["summary"], self.covered, absorb=self._absorb)
                - self._beside
            )
            if count and used < cost <= self.room:
                best, used = fields, cost
            if self.room * (1 - UNFILLED) <= cost <= self.room or (
                cost < self.room and count == len(chosen)
            ):
                break
            if tries >= TRIES and best is not None:
                break
            room *= (1 - UNFILLED / 2) * self.room / max(1, cost) if tries < TRIES else SHORTER
        return best, self._draft.target - self._beside - used

    def _chosen(self) -> list[Line]:
        """The lines to be told, what is kept longest first."""
        gone = self._draft.doomed
        newest: dict[tuple[str, bool], Line] = {}  # without repeats: of a sentence the last
        for line, topic in zip(self._lines, self._topics, strict=True):
            line.topic = topic  # which choosing changes, among the lines that go
            if line.number < 0 or line.kind in LEDGER or line.number in gone:
                key = line.text.strip(), line.kind in LEDGER
                if line.kind in PROSE:
                    newest.pop(key, None)
                newest[key] = line
        lines = list(newest.values())
        if self._work:
            lines += names(lines, self._vocabulary)
        for place, line in enumerate(lines):
            line.place = place
        known = self._vocabulary.within(self._staying())
        chooser = Chooser(lines, self._draft.history.shape, known, self._vocabulary)
        return choose(lines, chooser, self._draft.history.shape, self.room * SPARE)

    def _staying(self) -> set[str]:
        """What stands between blanks in all that stays."""
        draft = self._draft
        out = draft.gone | draft.doomed
        return {
            piece
            for number, message in enumerate(draft.history.messages)
            if number not in out
            for place, part in enumerate(message.parts)
            if (now := draft.new.get((number, place), part)) is not None
            for piece in texts_of(now).split()
        }

    def _read(self) -> list[Line]:
        reader = Reader(self._draft.history, self.room)
        return [line for number in self.covered for line in reader.lines(number)]

    def _earlier_and_ledger(self) -> Iterator[Line]:
        """The lines of earlier summaries, and what all calls came to."""
        history, done = self._draft.history, Effects()
        summaries: Sequence[Summary] = history.view.summaries if self._absorb else ()
        place = -sum(len(summary.text) for summary in summaries) - 1
        for summary in summaries:
            for number, old in enumerate(_entries(summary), place):
                if old.kind == "file":
                    done.touch(old.text, old.label, number)
                elif old.kind == "failed":
                    failed_before(old.text, done, number)
                elif old.kind == "done":
                    done.actions.append((old.text, number))
                else:
                    yield _earlier(old, number)
            place += len(summary.text)
        for line in ledger(effects(history.messages, history.layout.pairing, done)):
            line.id = history.messages[line.number].id if line.number >= 0 else summaries[0].id
            yield line


def _entries(summary: Summary) -> Sequence[Entry]:
    found = entries_of(summary)
    return opaque(summary) if found is None else found


def _earlier(old: Entry, number: int) -> Line:
    """A line of an earlier summary, as a line of today."""
    topic = old.kind if old.kind in ("rule", "decision", "open") else ""
    if old.kind == "now":  # then
        topic = cues.topic(old.text, user=False)
    kind = {
        "rule": "asked",
        "now": "said",
        "shown": "gave",
        "decision": "said",
        "open": "said",
    }.get(old.kind, old.kind)
    return Line(
        kind, old.label, old.text, old.id, len(old.text) / 3.5 + 1.5, number=number, topic=topic,
        first=kind == "asked",
    )  # fmt: skip


def entries(chosen: Sequence[Line]) -> list[Entry]:
    """The chosen lines in their order, the sentences of a row together, as lines of a summary."""
    found: list[Entry] = []
    last: tuple[object, ...] = ()
    heads: set[tuple[str, str]] = set()
    for line in sorted(chosen, key=attrgetter("place")):
        topic = "" if line.topic == "rule" and line.speaker != USER else line.topic
        kind = topic or KINDS.get(line.kind, line.kind)
        text = line.text
        if line.head and (line.id, line.head) not in heads:
            heads.add((line.id, line.head))
            text = f"{line.head} {text}"
        where = line.id, kind, line.speaker, line.row
        if where == last and line.kind in PROSE:
            found[-1] = found[-1]._replace(text=joined([found[-1].text, text]))
        else:
            speaker = PASTED if (kind, line.speaker) == ("pasted", USER) else line.speaker
            found.append(entry(kind, speaker, text, line.id))
        last = where
    return found


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
