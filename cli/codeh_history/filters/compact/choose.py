"""Choose the lines of a summary: those that add most for their tokens, by the kind of conversation.

A line adds words and names that no chosen line has. The value of a word is its rarity in general times how
often the conversation uses it (in work with tools, recently); it falls each time the word is chosen. In
work, a phrase that several messages have counts too, because it is what the work is about.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import groupby
from math import exp, log

from ...base.lazy import Pattern
from ...session.labels import PASTED
from ...summaries import cues, prose
from ...summaries.authorship import ROWS
from ...summaries.calls import PASSED
from .summary import KINDS, Line
from .units import CHAT, PEOPLE, WORK
from .words import COMMON, features, is_name, phrases, rarity

UNIT = 1 << 20  # values are integers, so that sums do not depend on order
NAME, PHRASE = 5.0, 6.0  # in work, the value of a name or a repeated phrase in relation to a rare word
# Factors of a value each time it is chosen: of a word, of one where people talk, of a name or phrase.
AGAIN, AMONG_PEOPLE, ONCE = 0.65, 0.75, 0.03
RECENT = 0.25  # in work: the share of the conversation after which a use of a word counts little
EXTRA = 2  # tokens of a line besides its text: its label, the line break
# Shares of a line's rare words that one has which repeats it, or which revokes or closes it (and FEW).
SAME, ENDS, FEW = 0.8, 0.5, 3
# Least tokens of a share (any failure fits), unless that is more than this part of the room.
LEAST, SMALL = 100, 0.3
SPARE = 1.5  # factor of the room to choose for, in case lines cost less than estimated
FIRST = 3  # sentences that begin an answer
NAMES = 0.25  # share of the room for names, in work
ELSEWHERE = "elsewhere"  # the label of names that no file shows
SYMBOL = Pattern(  # or a path; no `MUST`, no `e1e8`
    r"(?![A-Z]+s?$|[\da-f]{4,6}$|//)(?:(?=_*[^\W_])[^\W\d]\w{3,}|[\w.@-]*/[\w./@-]+\w)"
)


class Chooser:
    """Chooses lines, each once; a chosen line lowers the value of its words."""

    def __init__(self, lines: Sequence[Line], shape: str, staying: frozenset[str] = frozenset()) -> None:
        """`staying`: the words of the messages that stay."""
        self.chosen: dict[int, Line] = {}  # by place, most important first
        self.cost = self._room = 0.0
        work, end = shape == WORK, max([0, *(line.number for line in lines)]) + 1
        again = AMONG_PEOPLE if shape == PEOPLE else AGAIN
        uses: defaultdict[str, float] = defaultdict(float)
        for line in lines:
            weight = exp((max(line.number, 0) - end) / (end * RECENT)) if work else 1.0
            for word in line.words:
                uses[word] += weight
        self._values: dict[str, int] = {}
        self._factors: dict[str, float] = {}  # each time that the word is chosen
        for word, use in uses.items():
            weight = PHRASE if " " in word else NAME if work and is_name(word) else rarity(word) ** 1.5
            self._values[word] = int(UNIT * weight * (use**0.2 if work else log(1 + use)))
            self._factors[word] = ONCE if weight > 1 else again
        self._use(self._values.keys() & staying)

    def _use(self, words: Iterable[str]) -> None:
        for word in words:
            self._values[word] = int(self._values[word] * self._factors[word])

    def _gain(self, line: Line) -> float:
        """The value that a line adds per token."""
        return sum(map(self._values.__getitem__, line.words)) / (line.cost + EXTRA)

    def take(self, lines: Iterable[Line], room: float) -> None:
        """Choose these lines in order, each if it fits."""
        self._room = room
        for line in lines:
            if line.cost <= self._room and line.place not in self.chosen:
                self._room -= line.cost
                self.cost += line.cost
                self.chosen[line.place] = line
                self._use(line.words)

    def best_first(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Yield the lines that fit, those that add most first; of equals the later one.

        A line's gain only falls as others are chosen, so it is recomputed when its turn comes.
        """
        heap = [(-self._gain(line), -line.place, line) for line in lines if line.place not in self.chosen]
        heapify(heap)
        while heap:
            _, place, line = heappop(heap)
            if line.cost > self._room:
                continue
            now = -self._gain(line)
            if heap and now > heap[0][0]:
                heappush(heap, (now, place, line))
            else:
                yield line


def choose(
    lines: list[Line], later: Sequence[Line], staying: frozenset[str], shape: str, room: float
) -> list[Line]:
    """Return the lines of a summary, most important first, with some to spare beyond `room` tokens.

    `later`: lines of prompts that stay which revoke a rule; `staying`: the words of the messages that stay.
    """
    for line in (*lines, *later):
        line.words = features(line.text)
    settle(lines, later)
    if shape == WORK:
        lines = [*lines, *names(lines)]
        add_phrases(lines)
    for place, line in enumerate(lines):
        line.place = place
    chooser = Chooser(lines, shape, staying)
    _by_shares(lines, chooser, shape, room)
    return list(chooser.chosen.values())


def _by_shares(lines: Sequence[Line], chooser: Chooser, shape: str, room: float) -> None:
    """Choose from each kind of line as much as its share of the room holds, then what adds most."""
    users = [line for line in lines if line.spoken == "asked"]
    prompts = [line for line in users if not prose.is_filler(line.text)]
    firsts = {line.id: line for line in reversed(prompts)}  # of each prompt, the newest first
    own = [  # more than what its speaker does next
        line for line in lines
        if line.spoken == "said" and len(_rare(line)) > 1
        and not (line.text.endswith(":") or cues.announces(line.text))
    ]  # fmt: skip
    answers = [list(answer)[:FIRST] for _, answer in groupby(own, lambda line: line.id)]
    for line in answers[-1] if answers and shape != PEOPLE else ():
        line.kind = "now"
    kinds: dict[str, list[Line]] = {kind: [] for kind in KINDS}
    for line in reversed(lines):
        kinds[line.kind].append(line)
    free = [line for line in lines if line.kind not in ("done", "name")]
    best_first = chooser.best_first
    shares: list[tuple[Iterable[Line], float]] = [  # of the room
        (kinds["pinned"], 1.0),
        ([line for line in kinds["done"] if line.text[:1] != "`"], 0.86),
        ([line for line in prompts if line.id == prompts[0].id], 0.05),
        (kinds["now"][::-1], 0.06),
        (best_first(kinds["rule"]), 0.4),
        (sorted(kinds["file"], key=lambda line: line.label == "read"), 0.1),
        (sorted(kinds["failed"], key=lambda line: line.text.endswith(PASSED)), 0.04),
        (kinds["done"], 0.02),
    ]
    if shape == WORK:
        shares += [(firsts.values(), 0.35), (best_first(kinds["decision"] + kinds["open"]), 0.1)]
    for of_kind, share in shares:
        chooser.take(of_kind, max(room * share, min(LEAST, room * SMALL)))
    if shape == WORK:
        written = [line for line in free if line.spoken or (line.label == PASTED and line.row < ROWS)]
        chooser.take(best_first(written), room * (1 - NAMES) - chooser.cost)
        chooser.take(best_first(kinds["name"]), room * NAMES)
    elif shape == CHAT:
        heads = [answer[row] for row in range(FIRST) for answer in answers if row < len(answer)]
        chooser.take(best_first(users), (room - chooser.cost) * 0.9)
        chooser.take(heads, (room - chooser.cost) * 0.5)
    chooser.take(best_first(free), room * SPARE - chooser.cost)


def names(lines: Iterable[Line]) -> list[Line]:
    """Make a line of each symbol and path in tool output, with its first file; none if no file was read."""
    shown = [line for line in lines if line.kind == "shown" and " " in line.text.strip()]  # no listings
    sources = [(line.label, line) for line in shown if "." in line.label and " " not in line.label]
    sources += [(ELSEWHERE, line) for line in shown if sources]
    words = frozenset().union(*(line.words for _, line in sources))
    candidates = {word for word in words if SYMBOL.fullmatch(word) and is_name(word)}
    first: dict[str, Line] = {}
    for label, line in sources:
        for name in sorted(line.words & candidates):
            if name not in first and f"{name}: " not in line.text and not name.endswith(line.label):
                words, cost = line.words & {name}, len(name) / 3.5 + 1
                first[name] = Line("name", label, name, line.id, cost, number=line.number, words=words)
    return [*first.values()]


def add_phrases(lines: Iterable[Line]) -> None:
    """Add to the words of each line that somebody wrote the phrases that other messages have too."""
    written = [line for line in lines if line.kind != "shown"]
    in_messages = {(phrase, line.id) for line in written for phrase in phrases(line.text)}
    count = Counter(phrase for phrase, _ in in_messages)
    for line in written:
        line.words |= {phrase for phrase in phrases(line.text) if count[phrase] > 1}


def settle(lines: Iterable[Line], later: Iterable[Line] = ()) -> None:
    """Turn rules that were repeated or revoked, and open ends that the model closed, into plain lines.

    `later`: lines of prompts that stay which revoke a rule. What may revoke a rule becomes one.
    """
    spoken = [line for line in (*lines, *later) if line.spoken]
    rare = [_rare(line) for line in spoken]
    uses: defaultdict[str, list[int]] = defaultdict(list)  # of a rare word, the lines that have it
    for at, words in enumerate(rare):
        for word in words:
            uses[word].append(at)
    for at, line in enumerate(spoken):
        if line.kind not in ("rule", "open"):
            continue
        about = rare[at]
        shared = Counter(number for word in about for number in uses[word][bisect(uses[word], at) :])
        for number, same in sorted(shared.items()):
            other = spoken[number]
            if line.kind == "open":
                ends = other.kind == "said" and same >= max(FEW, ENDS * len(about))
            elif other.revokes:
                ends = same >= ENDS * len(about)
                other.kind = "rule"
            else:
                ends = other.kind == "rule" and same >= SAME * max(len(about), len(rare[number]))
            if ends:
                line.kind = line.spoken
                break


def _rare(line: Line) -> set[str]:
    return {word for word in line.words if rarity(word) > COMMON}
