"""Which lines a summary holds: those that add most for what they cost, in an order by the talk's shape.

A line adds the words and names that nothing chosen before says, each worth less the second time. What a
word is worth is how rare it is in general, and how often this conversation comes back to it.
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
from .lines import DULL, PROSE, Line
from .units import CHAT, PEOPLE, WORK
from .words import Vocabulary, rarity

UNIT = 1 << 20  # what is worth 1: whole numbers have the same sum in whatever order
NAME, NAMES_OFTEN = 7.0, 1.4  # in work: a name beside a rare word, and one that comes often
AGED = 0.25  # and of one that came up in the oldest lines alone
AGAIN, NAME_AGAIN = 0.65, 0.03  # what is left of a word, or a name, that was said
KNOWN = 0.5  # and of a word that stands in the newest messages
FACTORS = {
    "asked": 4.0,
    "earlier": 3.0,
    "said": 5.0,
    "pasted": 0.8,
    "called": 1.0,
    "gave": 1.3,
}  # in work, by whose line it is
EMPTY, DULLED = 0.2, 0.03  # of a line that says nothing of its own, and of imports and lines of signs
SAME = 0.8  # of the words of a rule that another has too, which is the same or takes it back
ASKED = 0.9  # in an assistant's chat: of the room, what the user's own messages may take
NOW, LAST = 0.06, 3  # of the room: for the last words of the model, at most so many sentences
BEGINNINGS, FIRST = 0.5, 3  # of what they leave: for the first lines of answers, of each at most so many
# What may take how much of the room, in this order, before the rest is chosen by what it adds.
SHARES = (("rule", 0.12), ("file", 0.13), ("failed", 0.08), ("done", 0.07))
OF_WORK = (  # and in work with tools
    ("first", 0.12),
    ("open", 0.05),
    ("decision", 0.1),
    ("prose", 0.35),
    ("name", 0.30),
)
NEWEST = ("file", "failed", "done", "open")  # of which the newest come first
SYMBOL = re.compile(r"(?=_*[^\W_])[^\W\d]\w{3,}|[\w.@-]*/[\w./@-]+\w")  # or the path of another file
LEAST, SMALL = 80, 0.3  # tokens of such a share, and of a small room


class Chooser:
    """Chooses among lines; what was chosen makes others worth less."""

    def __init__(
        self, lines: Sequence[Line], shape: str, known: AbstractSet[str], vocabulary: Vocabulary
    ) -> None:
        """`known`: what stands in the messages that stay."""
        self.work = shape == WORK
        self._names = vocabulary.names
        for line in lines:
            line.words = vocabulary.of(line.text)
        counts = Counter(word for line in lines for word in line.words)
        fresh = self._fresh(lines) if self.work else {}
        self._left = {
            word: int(UNIT * NAME * log(1 + count) ** NAMES_OFTEN * fresh.get(word, 1.0))
            if self.work and word in self._names
            else int(UNIT * rarity(word) * log(1 + count))
            for word, count in counts.items()
        }
        for word in self._left.keys() & known:
            self._take(word, KNOWN)
        self._factors = {id(line): self._factor(line) for line in lines}
        self.taken: set[int] = set()

    def _fresh(self, lines: Sequence[Line]) -> dict[str, float]:
        """How lately each name came up: what was left behind long ago is seldom come back to."""
        last = {word: place for place, line in enumerate(lines, 1) for word in line.words & self._names}
        return {
            word: AGED + (1 - AGED) * place / len(lines)
            for word, place in last.items()
            if not word[0].isdigit()
        }

    def _factor(self, line: Line) -> float:
        factor = FACTORS.get(line.kind, 1.0) if self.work else 1.0
        if line.kind in PROSE:
            return factor * (EMPTY if prose.is_filler(line.text) else 1)
        return factor * (DULLED if DULL.match(line.text) else 1)

    def _take(self, word: str, again: float) -> None:
        self._left[word] = int(
            self._left[word] * (NAME_AGAIN if self.work and word in self._names else again)
        )

    def gain(self, line: Line) -> float:
        """What a line adds for each token."""
        return sum(map(self._left.__getitem__, line.words)) * self._factors[id(line)] / line.cost

    def take(self, lines: Iterable[Line], room: float = float("inf")) -> list[Line]:
        """These lines in their order, as far as there is room for each."""
        chosen = []
        for line in lines:
            if line.cost <= room and line.place not in self.taken:
                self.taken.add(line.place)
                room -= line.cost
                chosen.append(line)
                for word in line.words:
                    self._take(word, AGAIN)
        return chosen

    def best(self, lines: Iterable[Line], room: float) -> list[Line]:
        """Those that add most in this room, the best first; of equals the later one.

        A line's gain only falls, as others say the same: it is looked at again when its turn comes.
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
    """The lines of a summary of about so many tokens, what is kept longest first."""
    lines = settled(lines)
    asked = [line for line in lines if line.kind == "asked"]
    chosen = chooser.take([line for line in lines if line.kind == "pinned"])

    def left() -> float:
        return room - sum([line.cost for line in chosen])

    if shape != PEOPLE:
        chosen += chooser.take(_now(lines), max(room * NOW, min(LEAST, room * SMALL)))
    for topic, share in (*SHARES, *(OF_WORK if shape == WORK else ())):
        its = max(room * share, min(LEAST, room * SMALL))
        some = [line for line in lines if topic in _sorts(line)]
        if topic == "first":
            chosen += chooser.take(_firsts(some, its), its)
        elif topic in NEWEST:
            chosen += chooser.take(sorted([*reversed(some)], key=_last), its)
        else:
            chosen += chooser.best(some, its)
    if shape == CHAT:
        chosen += chooser.best(asked, left() * ASKED)
        answers = [line for line in lines if line.kind == "said"]
        chosen += chooser.take(_beginnings(answers), left() * BEGINNINGS)
    free = [line for line in lines if line.kind not in ("done", "name")]
    return chosen + chooser.best(free, left())


def _sorts(line: Line) -> tuple[str, ...]:
    """What shares a line may be chosen from."""
    if line.kind not in PROSE:
        return (line.kind,)
    return line.topic, "prose", "first" if line.first and line.kind == "asked" else "prose"


def names(lines: Sequence[Line], vocabulary: Vocabulary) -> list[Line]:
    """The symbols and paths that tools told of, each with the file that it was seen in first."""
    first: dict[str, Line] = {}
    for line in lines:
        if line.kind in ("called", "gave") and "." in line.speaker and " " not in line.speaker:
            for name in sorted(vocabulary.of(line.text) & vocabulary.names):
                if SYMBOL.fullmatch(name) and not name.endswith(line.speaker):
                    first.setdefault(name, line)
    return [
        Line("name", line.speaker, name, line.id, len(name) / 3.5 + 1, number=line.number)
        for name, line in first.items()
    ]


def _last(line: Line) -> tuple[bool, bool]:
    """What is told last: files that were only read, and failures that passed later."""
    if line.kind == "file":
        return line.speaker == "read", False
    return failing(line.text) if line.kind == "failed" else (False, False)


def _now(lines: Sequence[Line]) -> list[Line]:
    """The model's last words: where things stood when what is summarised ended."""
    said = [
        line
        for line in lines
        if line.kind == "said" and line.number >= 0 and not prose.is_filler(line.text)
    ]
    last = [line for line in said if line.id == said[-1].id][-LAST:]
    for line in last:
        line.topic = "now"
    return last


def _firsts(asked: Sequence[Line], room: float) -> list[Line]:
    """The sentence that each prompt is known by; where there is no room for all, every n-th."""
    firsts = [line for line in asked if line.first and not prose.is_filler(line.text)]
    step = max(1, -(-len(firsts) * 12 // max(1, int(room))))
    return firsts[::-step]


def _beginnings(said: Sequence[Line]) -> Iterable[Line]:
    """The first lines of every answer, then the second, and so on."""
    answers = [list(some) for _, some in groupby(said, lambda line: line.id)]
    return (answer[row] for row in range(FIRST) for answer in answers if row < len(answer))


def settled(lines: Sequence[Line]) -> list[Line]:
    """The lines, of which rules that were said again, or taken back, later are no rules any more."""
    rules = [line for line in lines if line.topic == "rule"]
    for at, rule in enumerate(rules):
        later = [line for line in rules[at + 1 :] if _covers(line, rule)]
        if later:
            rule.topic = ""
    for line in lines:
        if line.kind == "asked" and rules:
            before = [rule for rule in rules if rule.place < line.place and _covers(line, rule, 0.5)]
            for rule in before if before and cues.takes_back(line.text) else ():
                rule.topic = ""
                line.topic = "rule"
    return list(lines)


def _covers(line: Line, rule: Line, share: float = SAME) -> bool:
    """Whether a line says most of what a rule is about."""
    about = [word for word in rule.words if rarity(word) > 0.3]
    return bool(about) and sum(word in line.words for word in about) >= share * len(about)
