"""Summarise messages and earlier summaries by extraction: their own lines, at most so many tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter

from ...session.model import Json, Message, Summary
from ...session.records import Log
from ...session.view import View
from ...summaries import cues
from ...summaries.calls import Effects, effects
from ...summaries.prose import clip
from ...tokens import Counter
from .choose import PASSED, Chooser, choose, names, settle
from .draft import Draft, History
from .lines import HEAD, Line, Reader, texts_of
from .plan import Settings
from .summary import Entry, entries_of, entry, fields_of, joined, opaque
from .units import WORK
from .words import features, upto

ALL_SHARE = 0.5  # with -i: share of the target for summaries, so that the next one has room
TRIES = 4  # attempts to find how many lines fit
UNFILLED = 0.01  # share of the room that may stay empty
LATER = "(Later than the summary above.)\n"  # the summary above was written before
DULL = re.compile(r"\s*(?:import\b|from \S+ import\b|export [{*]|#include\b|using [\w.]+;|require\b)")
CALL, ACTION, REASON = 110, 80, 140  # characters of a failed call, of an action, of a failure
LEDGER = ("file", "done", "failed")
# The kind, in an earlier summary, of a sentence → by whom.
SPOKEN = {"asked": "asked", "rule": "asked"} | dict.fromkeys(
    ("said", "decision", "open", "question"), "said"
)


def extract(
    messages: Sequence[Message], room: int, counter: Counter, summaries: Sequence[Summary] = ()
) -> Json:
    """Return `summary` and `lines` for messages and earlier summaries, in at most `room` unscaled
    tokens.
    """
    view = View(Log([], [], 0))
    view.messages, view.summaries = list(messages), list(summaries)
    draft = Draft(History(view, counter, Settings(budget=room)))
    draft.to_summarize = set(range(len(draft.history.messages)))
    absorb = bool(summaries)
    draft.target = room + draft.summary_total("", draft.to_summarize, absorb=absorb)
    return Extract(draft, absorb=absorb).written() or {"summary": "", "lines": []}


class Extract:
    """The lines of the messages to summarise, and the room for them; `absorb` adds the lines of
    earlier summaries.
    """

    def __init__(self, draft: Draft, *, absorb: bool) -> None:
        self._draft, self._absorb = draft, absorb
        self._begins = LATER if draft.summaries and not absorb else ""
        reader = Reader(draft.history, self.room)
        lines = [*self._earlier_and_ledger()]
        lines += [line for number in sorted(draft.to_summarize) for line in reader.lines(number)]
        newest: dict[tuple[str, bool], Line] = {}  # without repeats; the last one stays
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
        """The tokens that will be left even if the summary has every line."""
        every = int(sum([line.cost for line in self._lines]))
        return self._draft.target - self._total("") - min(self.room, every)

    def _total(self, text: str) -> int:
        return self._draft.summary_total(text, self._draft.to_summarize, absorb=self._absorb)

    def written(self) -> Json | None:
        """Return the summary that fills the room best, or None if none fits."""
        whole, beside = self.room, self._total("")
        chosen = self._chosen(whole)
        best: Json | None = None
        used, room = 0, whole * 1.0
        for tries in range(1, 3 * TRIES):
            lines = [*upto(room, chosen, attrgetter("cost"))]
            fields = fields_of(entries(lines))
            fields["summary"] = self._begins + fields["summary"]
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
            line for line in self._lines if line.number < 0 or line.kind in LEDGER or line.number in covered
        ]
        for line in [*lines, *self._later]:
            line.words = features(line.text)
        if shape == WORK:
            lines += names(lines)
        for place, line in enumerate(lines):
            line.place = place
        settle(lines, self._later)
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
        history, done = self._draft.history, Effects()
        summaries: Sequence[Summary] = history.view.summaries if self._absorb else ()
        place = -sum(len(summary.text) for summary in summaries) - 1
        for summary in summaries:
            lines = entries_of(summary)
            for number, old in enumerate(opaque(summary) if lines is None else lines, place):
                if not read_back(old, done, number):
                    yield _earlier(old, number)
            place += len(summary.text)
        for line in ledger(effects(history.messages, history.layout.pairing, done)):
            line.id = history.messages[line.number].id if line.number >= 0 else summaries[0].id
            yield line


def _earlier(old: Entry, number: int) -> Line:
    """Turn a line of an earlier summary into a line to choose from."""
    kind = (
        old.kind if old.kind != "now" else cues.topic(old.text, user=False) or "said"
    )  # it was current then
    cost, spoken = len(old.text) / 3.5 + 1.5, SPOKEN.get(kind, "")
    return Line(kind, old.label, old.text, old.id, cost, spoken, number, first=spoken == "asked")


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


# -- the outcome of calls --------------------------------------------------------------------------------


def ledger(done: Effects) -> list[Line]:
    """Return files, actions and failures as lines, the latest last."""
    whole: dict[str, str] = {}  # how a whole path ends, from its second last step on → the path
    for path in done.files:
        steps = path.split("/") if path[:1] in "/~" else []
        whole |= {"/".join(steps[at:]): path for at in range(1, len(steps) - 1)}
    united = Effects()  # `src/a.py` is `/home/me/project/src/a.py` if both occur
    for path, (state, place) in sorted(done.files.items(), key=lambda item: item[1][1]):
        united.touch(whole.get(path.removeprefix("./"), path), state, place)
    lines = [_line("file", state, path, place) for path, (state, place) in united.files.items()]
    lines += [_line("done", "", _shortened(what, ACTION), place) for what, place in done.actions.values()]
    for attempt, (what, how, place) in done.failures.items():
        if len(how) > REASON:  # the reason usually stands at the end
            how = f"{clip(how, REASON // 2)} {how[-REASON // 2 :].partition(' ')[2]}"
        text = f"{_shortened(what, CALL)}: {how}{PASSED if attempt in done.mended else ''}"
        lines.append(_line("failed", "", text, place))
    return lines


def _line(kind: str, label: str, text: str, place: int) -> Line:
    return Line(kind, label, text, "", len(text) / 3 + 1, number=place)


def _shortened(what: str, most: int) -> str:
    """Shorten a call, but keep the backticks of a command and what a call returned."""
    if what[:1] == what[-1:] == "`":
        return f"`{clip(what[1:-1], most)}`"
    call, arrow, gave = what.partition(" → ")
    return f"{clip(call, most)}{arrow}{gave}"


def read_back(entry: Entry, done: Effects, place: int) -> bool:
    """Add a line of an earlier ledger to the outcome; return whether it is one."""
    text = entry.text
    if entry.kind == "file":
        done.touch(text, entry.label, place)
    elif entry.kind == "done":
        done.act(text, place)
    elif entry.kind == "failed":
        mark = "`: " if "`: " in text else ": "
        what, _, how = text.removesuffix(PASSED).partition(mark)
        done.fail(what + mark.removesuffix(": "), how, place, passed=text.endswith(PASSED))
    else:
        return False
    return True
