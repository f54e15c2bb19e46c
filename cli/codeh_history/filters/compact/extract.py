"""Summarise messages and earlier summaries by extraction: their own lines, at most so many tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from ...base.lazy import Pattern
from ...session.model import Json, Message, Summary
from ...session.records import Log
from ...session.view import View
from ...summaries import cues
from ...summaries.calls import Ledger
from ...summaries.prose import clip
from ...tokens.counter import Counter
from .choose import Chooser, add_phrases, choose, names, settle
from .draft import Draft, History
from .lines import HEAD, Line, Reader, texts_of
from .plan import Settings
from .summary import Entry, entries_of, entry, fields_of, joined, opaque
from .units import WORK
from .words import features, upto

ALL_SHARE = 0.5  # with -i: share of the target for summaries, so that the next one has room
TRIES = 4  # attempts to fill the room
UNFILLED = 0.01  # share of the room that may stay empty
LATER = "(Later than the summary above.)\n"  # another program's summary is above
AHEAD = "(Part of this happened after the prompt below.)\n"
DULL = Pattern(  # imports, and what Codex prints above an output
    r"\s*(?:import\b|from \S+ import\b|export [{*]|#include\b|using [\w.]+;|require\b"
    r"|(?:Chunk ID|Wall time|Original token count|Total output lines): \S+|Process exited with code 0$)"
)
LEDGER = ("file", "done", "failed")  # kinds of lines
# The kind of a sentence in an earlier summary → its `spoken`.
SPOKEN = {"asked": "asked", "rule": "asked"} | dict.fromkeys(
    ("said", "decision", "open", "question"), "said"
)


def extract(
    messages: Sequence[Message], room: int, counter: Counter, summaries: Sequence[Summary] = ()
) -> Json:
    """Summarise messages and earlier summaries in at most `room` unscaled tokens: `summary` and `lines`."""
    view = View(Log([], [], 0))
    view.messages, view.summaries = list(messages), list(summaries)
    draft = Draft(History(view, counter, Settings(budget=room)))
    draft.to_summarize = set(range(len(draft.history.messages)))
    absorb = bool(summaries)
    draft.target = room + draft.summary_total("", draft.to_summarize, absorb=absorb)
    return Extract(draft, absorb=absorb).written() or {"summary": "", "lines": []}


class Extract:
    """The lines of the messages to summarise, with `absorb` also those of earlier summaries, and their
    room.
    """

    def __init__(self, draft: Draft, *, absorb: bool) -> None:
        self._draft, self._absorb = draft, absorb
        self._begins = LATER if draft.summaries and not absorb else ""
        reader = Reader(draft.history, self.room)
        lines = [*self._earlier_and_ledger()]
        lines += [line for number in sorted(draft.to_summarize) for line in reader.lines(number)]
        newest: dict[tuple[str, bool], Line] = {}  # of repeated lines the last
        for line in lines:
            key = line.text.strip(), line.kind in LEDGER
            if line.spoken:
                newest.pop(key, None)
            newest[key] = line
        self._lines = [line for line in newest.values() if line.spoken or not DULL.match(line.text)]
        prompts = [number for number in draft.history.layout.prompts if number not in draft.to_summarize]
        self._later = [line for number in prompts for line in reader.lines(number) if line.spoken]

    @property
    def room(self) -> int:
        """The tokens that the summary may have."""
        draft = self._draft
        room = draft.target - self._total("")
        if not draft.history.settings.hysteresis:
            return room
        return min(room, int(draft.target * ALL_SHARE) - (0 if self._absorb else draft.summary_cost))

    @property
    def unused(self) -> int:
        """The tokens that stay unused even if the summary has every line."""
        every = int(sum([line.cost for line in self._lines]))
        return self._draft.target - self._total("") - min(self.room, every)

    def _total(self, text: str) -> int:
        return self._draft.summary_total(text, self._draft.to_summarize, absorb=self._absorb)

    def written(self) -> Json | None:
        """Return the summary that fills the room best, or None if none fits."""
        whole, beside = self.room, self._total("")
        prompt, newest = self._draft.history.layout.prompt, max(self._draft.to_summarize, default=0)
        ahead = prompt is not None and prompt not in self._draft.to_summarize and newest > prompt
        begins = self._begins + (AHEAD if ahead else "")
        chosen = self._chosen(whole)
        best: Json | None = None
        used, room = 0, whole * 1.0
        for tries in range(1, 3 * TRIES):
            lines = [*upto(room, chosen, attrgetter("cost"))]
            fields = fields_of(entries(lines))
            fields["summary"] = begins + fields["summary"]
            cost = self._total(fields["summary"]) - beside
            if lines and used < cost <= whole:
                best, used = fields, cost
            full = whole * (1 - UNFILLED) <= cost or len(lines) == len(chosen)
            if (full and cost <= whole) or (tries >= TRIES and best is not None):
                break
            room *= min((1 - UNFILLED / 2) * whole / max(1, cost), 0.9 if tries >= TRIES else 9)
        return best

    def _chosen(self, room: int) -> list[Line]:
        """Choose among the lines of the messages to summarise, most important first."""
        covered, shape = self._draft.to_summarize, self._draft.history.shape
        lines = [
            line for line in self._lines
            if line.number < 0 or line.kind == "file" or line.number in covered
        ]  # fmt: skip
        for line in [*lines, *self._later]:
            line.words = features(line.text)
        if shape == WORK:
            lines += names(lines)
        for place, line in enumerate(lines):
            line.place = place
        settle(lines, self._later)
        if shape == WORK:
            add_phrases(lines)
        return choose(lines, Chooser(lines, shape, self._staying()), shape, room)

    def _staying(self) -> set[str]:
        """The words of everything that stays."""
        draft = self._draft
        out = draft.gone | draft.to_summarize
        pieces = {
            piece
            for number, message in enumerate(draft.history.messages)
            if number not in out
            for place, part in enumerate(message.parts)
            if (now := draft.new.get((number, place), part)) is not None
            for piece in texts_of(now).split()
        }
        return {word for piece in pieces for word in features(piece)}

    def _earlier_and_ledger(self) -> Iterator[Line]:
        """The lines of earlier summaries, and the outcome of all calls."""
        history, ledger = self._draft.history, Ledger()
        summaries: Sequence[Summary] = history.view.summaries if self._absorb else ()
        number = -sum(len(summary.text) for summary in summaries) - 1
        for summary in summaries:
            lines = entries_of(summary)
            for old in opaque(summary) if lines is None else lines:
                if (kind := old.kind) in LEDGER:
                    ledger.read_back(kind, old.label, old.text, number)
                else:
                    if kind == "now":  # no longer current
                        kind = cues.topic(old.text, user=False) or "said"
                    cost, spoken = len(old.text) / 3.5 + 1.5, SPOKEN.get(kind, "")
                    first = spoken == "asked"
                    yield Line(kind, old.label, old.text, old.id, cost, spoken, number, first=first)
                number += 1
        for call in history.layout.pairing.calls:
            ledger.add(call)
        for kind, label, text, number in ledger.lines():
            id = history.messages[number].id if number >= 0 else summaries[0].id
            yield Line(kind, label, text, id, len(text) / 3 + 1, number=number)


def entries(chosen: Sequence[Line]) -> list[Entry]:
    """Order the chosen lines, join the sentences of a row, and return the lines of a summary."""
    merged: list[Entry] = []
    last: tuple[object, ...] = ()
    heads: set[tuple[str, str]] = set()  # already printed
    for line in sorted(chosen, key=attrgetter("place")):
        text = line.text
        if line.head and (line.id, line.head) not in heads:
            heads.add((line.id, line.head))
            text = f"{line.head} {text}"
        heads.add((line.id, clip(line.text.strip("*"), HEAD)))
        where = line.id, line.kind, line.label, line.row
        if where == last and line.spoken and line.kind != "rule":
            merged[-1] = merged[-1]._replace(text=joined([merged[-1].text, text]))
        else:
            merged.append(entry(line.kind, line.label, text, line.id))
        last = where
    return merged
