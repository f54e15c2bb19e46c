"""Choose the lines of a summary: those that add most for their cost, in an order set by the kind of talk.

A line adds the words and names that no chosen line has. A word's worth is its rarity in general times how
often the conversation uses it; each time it is chosen, its worth falls.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heappush
from itertools import groupby
from math import log

from ...summaries import cues, prose
from .ledger import failing
from .lines import PROSE, Line
from .units import CHAT, PEOPLE, WORK
from .words import Vocabulary, rarity

UNIT = 1 << 20  # worth is in whole units, so that sums do not depend on order
NAME = 7.0  # in work, how much more a name is worth than a rare word
AGAIN, NAME_AGAIN = 0.65, 0.03  # factor for the worth of a word, or name, that was chosen
BESIDE = 2  # tokens that a line costs beside its text: who says it, the break
SAME = 0.8  # share of a rule's words in a line that repeats or revokes it
FEW = 2  # too few words to recognise an open end by
ASKED = 0.9  # in a chat: share of the room for the user's messages
GOAL = 0.05  # share of the room for the first prompt, the goal
NOW, LAST = 0.06, 3  # share for the model's last words, at most so many sentences
BEGINNINGS, FIRST = 0.5, 3  # share of the rest for the first lines of answers
LEAST, SMALL = 80, 0.3  # a share has at least so many tokens, if that is not too much of the room
NAMES = 0.3  # in work: share for names that no chosen line has
SPARE = 1.5  # choose this much more, in case lines cost less than estimated
# Shares of the room, in this order; the rest is chosen by gain.
SHARES = {"rule": 0.14, "file": 0.15, "failed": 0.1}
OF_WORK = {"first": 0.14, "open": 0.06, "decision": 0.12, "prose": 0.42}
NEWEST = ("file", "failed", "open")  # kinds of which the newest come first
SYMBOL = re.compile(r"(?=_*[^\W_])[^\W\d]\w{3,}|[\w.@-]*/[\w./@-]+\w")  # or a path


class Chooser:
    """Chooses lines; each chosen line lowers the worth of the words it shares with others."""

    def __init__(
        self, lines: Sequence[Line], shape: str, staying: AbstractSet[str], vocabulary: Vocabulary
    ) -> None:
        """`staying`: the words of the messages that stay."""
        for line in lines:
            line.words = vocabulary.of(line.text)
        self._names = vocabulary.names if shape == WORK else set()
        counts = Counter(word for line in lines for word in line.words)
        self._left = {
            word: int(UNIT * log(1 + count) * (NAME if word in self._names else rarity(word) ** 1.5))
            for word, count in counts.items()
        }
        self._take(self._left.keys() & staying)
        self.taken: set[int] = set()

    def _take(self, words: Iterable[str]) -> None:
        for word in words:
            self._left[word] = int(self._left[word] * (NAME_AGAIN if word in self._names else AGAIN))

    def gain(self, line: Line) -> float:
        """What a line adds for each token."""
        return sum(map(self._left.__getitem__, line.words)) / (line.cost + BESIDE)

    def take(self, lines: Iterable[Line], room: float = float("inf")) -> list[Line]:
        """Take these lines in order, each if it fits."""
        chosen = []
        for line in lines:
            if line.cost <= room and line.place not in self.taken:
                self.taken.add(line.place)
                room -= line.cost
                chosen.append(line)
                self._take(line.words)
        return chosen

    def best(self, lines: Iterable[Line], room: float) -> list[Line]:
        """Take the lines that add most, best first, until the room is full; of equals the later one.

        A line's gain only falls as others are chosen, so it is recomputed when its turn comes.
        """
        by_place = {line.place: line for line in lines if line.place not in self.taken}
        heap = [(-self.gain(line), -place) for place, line in by_place.items()]
        heapify(heap)
        chosen: list[Line] = []
        while heap:
            _, place = heappop(heap)
            line = by_place[-place]
            if line.cost > room:
                continue
            now = self.gain(line)
            if heap and -now > heap[0][0]:
                heappush(heap, (-now, place))
            elif now:
                chosen += self.take([line])
                room -= line.cost
        return chosen


def choose(lines: Sequence[Line], chooser: Chooser, shape: str, room: float) -> list[Line]:
    """Return the lines of a summary, most important first: enough for `room` tokens, then some spare
    ones.
    """
    settle(lines)
    chosen = chooser.take([line for line in lines if line.kind == "pinned"])
    actions = sorted((line for line in lines if line.kind == "done"), key=_newest)
    chosen += chooser.take(actions, max(room * (1 - SHARES["rule"]), min(LEAST, room)))
    chosen += chooser.take(_goal(lines), max(room * GOAL, min(LEAST, room * SMALL)))
    if shape != PEOPLE:
        chosen += chooser.take(_now(lines), max(room * NOW, min(LEAST, room * SMALL)))
    for sort, share in {**SHARES, **(OF_WORK if shape == WORK else {})}.items():
        its = max(room * share, min(LEAST, room * SMALL))
        some = [line for line in lines if sort in _sorts(line)]
        if sort == "first":
            chosen += chooser.take(_firsts(some, its), its)
        elif sort in NEWEST:
            chosen += chooser.take(sorted(some, key=_newest), its)
        else:
            chosen += chooser.best(some, its)

    def left(share: float = 1.0) -> float:
        return room * share - sum([line.cost for line in chosen])

    if shape == CHAT:
        chosen += chooser.best([line for line in lines if line.kind == "asked"], left() * ASKED)
        chosen += chooser.take(_beginnings(lines), left() * BEGINNINGS)
    free = [line for line in lines if line.kind not in ("done", "name")]
    if shape == WORK:
        chosen += chooser.best(free, left(1 - NAMES))
        chosen += chooser.best([line for line in lines if line.kind == "name"], room * NAMES)
    return chosen + chooser.best(free, left(SPARE))


def _sorts(line: Line) -> tuple[str, ...]:
    """The shares that a line can be chosen for."""
    if line.kind not in PROSE:
        return (line.kind,)
    own = ("first",) if line.first and line.kind == "asked" else ()
    return line.topic, "prose", *own


def names(lines: Sequence[Line], vocabulary: Vocabulary) -> list[Line]:
    """List the symbols and paths in tool output as lines, each with the file in which it first appears."""
    first: dict[str, Line] = {}
    for line in lines:
        if line.kind in ("called", "gave") and "." in line.speaker and " " not in line.speaker:
            for name in sorted(vocabulary.of(line.text) & vocabulary.names):
                key = line.kind == "called" and f"{name}: " in line.text
                if SYMBOL.fullmatch(name) and not (key or name.endswith(line.speaker)):
                    first.setdefault(name, line)
    return [
        Line("name", line.speaker, name, line.id, len(name) / 3.5 + 1, number=line.number)
        for name, line in first.items()
    ]


def _newest(line: Line) -> tuple[bool, bool, int]:
    """Sort key: newest first; files that were only read, and failures that passed later, go last."""
    if line.kind == "failed":
        return *failing(line.text), -line.place
    return line.kind == "file" and line.speaker == "read", False, -line.place


def _goal(lines: Sequence[Line]) -> list[Line]:
    """The first prompt with content."""
    prompts = [line for line in lines if line.kind == "asked" and not prose.is_filler(line.text)]
    return [line for line in prompts if line.id == prompts[0].id]


def _now(lines: Sequence[Line]) -> list[Line]:
    """The model's last words: where things stood at the end of what is summarised."""
    own = [line for line in lines if line.kind == "said" and line.number >= 0]
    own = [line for line in own if not (prose.is_filler(line.text) or line.text.endswith(":"))]
    last = [line for line in own if line.id == own[-1].id][-LAST:]
    for line in last:
        line.topic = "now"
    return last


def _firsts(prompts: Sequence[Line], room: float) -> list[Line]:
    """The first sentence of each prompt; if they do not all fit, of every n-th."""
    firsts = [line for line in prompts if not prose.is_filler(line.text)]
    step = max(1, -(-len(firsts) * 12 // max(1, int(room))))
    return firsts[::-step]


def _beginnings(lines: Sequence[Line]) -> Iterable[Line]:
    """The first lines of all answers, then their second lines, and so on."""
    model = (line for line in lines if line.kind == "said")
    answers = [list(some) for _, some in groupby(model, lambda line: line.id)]
    return (answer[row] for row in range(FIRST) for answer in answers if row < len(answer))


def settle(lines: Sequence[Line]) -> None:
    """Clear the topic of rules that were repeated or taken back later, and of open ends that the model
    later closed.
    """
    spoken = [line for line in lines if line.kind in PROSE]
    for at, line in enumerate(spoken):
        if line.topic in ("rule", "open") and _covered(
            line, (s for s in spoken[at + 1 :] if _ends(s, line))
        ):
            line.topic = ""
    for at, line in enumerate(spoken):
        if line.kind == "asked" and cues.takes_back(line.text):
            for rule in spoken[:at]:
                if rule.topic == "rule" and _covered(rule, [line], 0.5):
                    rule.topic = ""
                    line.topic = "rule"


def _ends(later: Line, line: Line) -> bool:
    """Whether a later line can replace a rule, or close an open end."""
    return later.topic == "rule" if line.topic == "rule" else (later.kind, later.topic) == ("said", "")


def _covered(line: Line, by: Iterable[Line], share: float = SAME) -> bool:
    """Whether any of these lines has most of the rare words of a line."""
    about = {word for word in line.words if rarity(word) > 0.3}
    few = 0 if line.topic == "rule" else FEW
    return len(about) > few and any(len(about & other.words) >= share * len(about) for other in by)
