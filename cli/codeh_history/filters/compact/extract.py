"""Summarise messages and earlier summaries by extraction: their own lines, at most so many tokens."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import attrgetter

from ...base.lazy import Pattern
from ...base.read_json import strings_in
from ...session.labels import MODEL, PASTED, USER, is_ours, one_line
from ...session.model import Json, Message, Summary
from ...session.records import Log
from ...session.view import View
from ...summaries import cues
from ...summaries.calls import Ledger
from ...summaries.prose import clip
from ...tokens.counter import Counter
from .choose import choose
from .draft import Draft, History
from .lines import HEAD, read
from .plan import Settings
from .summary import Line, entries_of, fields_of, opaque, stored_id
from .words import features

ALL_SHARE = 0.5  # with -i: share of the target for summaries, so that the next one has room
UNFILLED = 0.01  # share of the room that may stay empty
LATER = "(Later than the summary above.)\n"  # another program's summary is above
AHEAD = "(Part of this happened after the prompt below.)\n"
DULL = Pattern(  # imports, and what Codex prints above an output
    r"\s*(?:import\b|from \S+ import\b|export [{*]|#include\b|using [\w.]+;|require\b"
    r"|(?:Chunk ID|Wall time|Original token count|Total output lines): \S+|Process exited with code 0$)"
)
LEDGER = ("file", "done", "failed")  # kinds of lines
SPOKEN = {"asked": "asked", "rule": "asked"} | dict.fromkeys(("said", "decision", "open", "now"), "said")


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
    """The summary of the messages to summarise; with `absorb` it replaces earlier summaries too."""

    def __init__(self, draft: Draft, *, absorb: bool) -> None:
        self._draft, self._absorb = draft, absorb
        history, covered = draft.history, draft.to_summarize
        ledger = Ledger()
        newest: dict[str, Line] = {}  # of repeated lines the last
        for line in [*self._earlier(ledger), *read(history, sorted(covered))]:
            if line.spoken or not DULL.match(line.text):
                newest.pop(line.text.strip(), None)
                newest[line.text.strip()] = line
        for call in history.layout.pairing.calls:
            ledger.add(call)
        self._lines = list(newest.values())
        for kind, label, text, number in ledger.lines():
            id = history.messages[number].id if number >= 0 else stored_id(history.view.summaries[0])
            self._lines.append(Line(kind, label, text, id, len(text) / 3 + 1, number=number))

    def _earlier(self, ledger: Ledger) -> Iterator[Line]:
        """Yield the lines of earlier summaries; the ledger gets back what is its own."""
        for summary in self._draft.history.view.summaries if self._absorb else ():
            for line in entries_of(summary) or opaque(summary):
                line.cost, line.number = len(line.text) / 3.5 + 1.5, -1
                line.spoken = SPOKEN.get(line.kind, "")
                if line.kind == "now":  # no longer
                    line.kind = cues.topic(line.text, user=False) or "said"
                if line.kind in LEDGER:
                    ledger.read_back(line.kind, line.label, line.text, -1)
                else:
                    yield line

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
        history, covered = self._draft.history, self._draft.to_summarize
        prompt, newest = history.layout.prompt, max(covered, default=0)
        ahead = prompt is not None and prompt not in covered and newest > prompt
        beside_another = self._draft.summaries and not self._absorb
        begins = (LATER if beside_another else "") + (AHEAD if ahead else "")
        lines = [
            line for line in self._lines if line.number < 0 or line.kind == "file" or line.number in covered
        ]
        room, beside = self.room, self._total("")
        leaving = self._draft.gone | covered
        staying = [number for number in range(len(history.messages)) if number not in leaving]
        parts = [part for number in staying for part in history.messages[number].parts]
        words = features("\n".join(strings_in([part for part in parts if "inlineData" not in part])))
        prompts = read(history, [number for number in staying if number in history.layout.prompts])
        later = [line for line in prompts if line.revokes]
        chosen = choose(lines, later, words, history.shape, room)
        ends = [*accumulate(line.cost for line in chosen)]
        best: Json | None = None
        fits, beyond, estimate = 0, len(chosen) + 1, float(room)  # numbers of lines
        while beyond - fits > 1:
            count = min(max(bisect(ends, estimate), fits + 1), beyond - 1)
            fields = fields_of(merged(chosen[:count]))
            fields["summary"] = begins + fields["summary"]
            cost = self._total(fields["summary"]) - beside
            if cost > room:
                beyond = count
            else:
                best, fits = fields, count
                if cost >= room * (1 - UNFILLED):
                    break
            estimate *= room * (1 - UNFILLED / 2) / max(1, cost)
        return best


def merged(chosen: Sequence[Line]) -> list[Line]:
    """Order the chosen lines, join the sentences of a row, and return the lines of a summary.

    A label that looks like one of our headings is quoted.
    """
    out: list[Line] = []
    before: object = None
    heads: set[tuple[str, str]] = set()  # already printed
    for line in sorted(chosen, key=attrgetter("place")):
        new_head = line.head and (line.id, line.head) not in heads
        heads.update(((line.id, line.head), (line.id, clip(line.text.strip("*"), HEAD))))
        text = one_line(f"{line.head} {line.text}" if new_head else line.text)
        where = line.id, line.kind, line.label, line.row
        if where == before and line.spoken and line.kind != "rule":
            space = "" if out[-1].text.endswith(("。", "！", "？")) else " "
            out[-1].text += space + text
        else:
            label = one_line(line.label)
            forged = label not in (USER, MODEL, PASTED) and is_ours(label)
            out.append(Line(line.kind, f"`{label}`" if forged else label, text, line.id))
        before = where
    return out
