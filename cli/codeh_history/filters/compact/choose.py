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
from .lines import PROSE, Line
from .units import CHAT, PEOPLE, WORK
from .words import Vocabulary, rarity

UNIT = 1 << 20  # what is worth 1: whole numbers have the same sum in whatever order
NAME = 7.0  # in work: a name beside a rare word
AGAIN, NAME_AGAIN = 0.65, 0.03  # what is left of a word, or a name, that was said
BESIDE = 2  # tokens that a line costs beside its text: who says it, the break
SAME = 0.8  # of the words of a rule that another has too, which is the same or takes it back
FEW = 2  # words of an open end that are too few to know it again by
ASKED = 0.9  # in an assistant's chat: of the room, what the user's own messages may take
GOAL = 0.05  # of the room: for the first prompt, which says what all of it is about
NOW, LAST = 0.06, 3  # of the room: for the last words of the model, at most so many sentences
BEGINNINGS, FIRST = 0.5, 3  # of what they leave: for the first lines of answers, of each at most so many
LEAST, SMALL = 80, 0.3  # tokens of a share, and of a small room
NAMES = 0.4  # in work: for names that no chosen line says
SPARE = 1.5  # for how much lines are chosen, should they cost less than estimated
# What may take how much of the room, in this order, before the rest is chosen by what it adds.
SHARES = {"rule": 0.14, "file": 0.15, "failed": 0.1, "done": 0.08}
OF_WORK = {"first": 0.14, "open": 0.06, "decision": 0.12, "prose": 0.42}
NEWEST = ("file", "failed", "done", "open")  # of which the newest come first
SYMBOL = re.compile(r"(?=_*[^\W_])[^\W\d]\w{3,}|[\w.@-]*/[\w./@-]+\w")  # or the path of another file


class Chooser:
    """Chooses among lines; what was chosen makes others worth less."""

    def __init__(
        self, lines: Sequence[Line], shape: str, staying: AbstractSet[str], vocabulary: Vocabulary
    ) -> None:
        """`staying`: what stands in the messages that stay."""
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
        """These lines in their order, as far as there is room for each."""
        chosen = []
        for line in lines:
            if line.cost <= room and line.place not in self.taken:
                self.taken.add(line.place)
                room -= line.cost
                chosen.append(line)
                self._take(line.words)
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
    """The lines of a summary, what is kept longest first: those for so many tokens, then some to spare."""
    settle(lines)
    chosen = chooser.take([line for line in lines if line.kind == "pinned"])
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
    """The shares that a line may be chosen for."""
    if line.kind not in PROSE:
        return (line.kind,)
    own = ("first",) if line.first and line.kind == "asked" else ()
    return line.topic, "prose", *own


def names(lines: Sequence[Line], vocabulary: Vocabulary) -> list[Line]:
    """The symbols and paths in what tools showed, each with the file that it was seen in first."""
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


def _newest(line: Line) -> tuple[bool, bool, int]:
    """The newest first; after the others files that were only read, and failures that passed later."""
    if line.kind == "failed":
        return *failing(line.text), -line.place
    return line.kind == "file" and line.speaker == "read", False, -line.place


def _goal(lines: Sequence[Line]) -> list[Line]:
    """The first prompt that says something."""
    prompts = [line for line in lines if line.kind == "asked" and not prose.is_filler(line.text)]
    return [line for line in prompts if line.id == prompts[0].id]


def _now(lines: Sequence[Line]) -> list[Line]:
    """The model's last words: where things stood when what is summarised ended."""
    own = [line for line in lines if line.kind == "said" and line.number >= 0]
    own = [line for line in own if not (prose.is_filler(line.text) or line.text.endswith(":"))]
    last = [line for line in own if line.id == own[-1].id][-LAST:]
    for line in last:
        line.topic = "now"
    return last


def _firsts(prompts: Sequence[Line], room: float) -> list[Line]:
    """The sentence that each prompt is staying by; where there is no room for all, every n-th."""
    firsts = [line for line in prompts if not prose.is_filler(line.text)]
    step = max(1, -(-len(firsts) * 12 // max(1, int(room))))
    return firsts[::-step]


def _beginnings(lines: Sequence[Line]) -> Iterable[Line]:
    """The first lines of every answer, then the second, and so on."""
    model = (line for line in lines if line.kind == "said")
    answers = [list(some) for _, some in groupby(model, lambda line: line.id)]
    return (answer[row] for row in range(FIRST) for answer in answers if row < len(answer))


def settle(lines: Sequence[Line]) -> None:
    """Make rules that were said again or taken back later no rules any more, and open ends that the model
    comes back to later no open ends.
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
    """Whether a later line may take the place of a rule, or close an open end."""
    return later.topic == "rule" if line.topic == "rule" else (later.kind, later.topic) == ("said", "")


def _covered(line: Line, by: Iterable[Line], share: float = SAME) -> bool:
    """Whether one of these says most of what a line is about."""
    about = {word for word in line.words if rarity(word) > 0.3}
    few = 0 if line.topic == "rule" else FEW
    return len(about) > few and any(len(about & other.words) >= share * len(about) for other in by)
